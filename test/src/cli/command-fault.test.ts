import {describe, expect, test} from 'vitest'
import {createPaint} from '../../../src/cli/colour.js'
import {renderFault, toErrorDocument, toFault} from '../../../src/cli/command-fault.js'
import {ResponseFault} from '../../../src/client/response-fault.js'
import {Fault, faultTable, isFaultCode} from '../../../src/contract/faults.js'

const view = {programName: 'moorage', paint: createPaint(false), verbose: false}

describe('toErrorDocument', () => {
  test('has every member, always', () => {
    expect(toErrorDocument(new Fault('USAGE', 'wrong'), 'moorage')).toEqual({
      error: {code: 'USAGE', message: 'wrong', status: 400, requestId: null, details: {}, suggestions: []},
    })
  })

  test('puts the program before its suggestions and keeps what the API said', () => {
    const fault = new ResponseFault('CONFLICT', 'no', {code: 'NEW_CODE', status: 409, requestId: 'req_1'}, {details: {a: 1}, errors: [{path: '/b', message: 'c'}], suggestions: ['jobs list']})
    expect(toErrorDocument(fault, 'moorage').error).toEqual({
      code: 'NEW_CODE', message: 'no', status: 409, requestId: 'req_1', details: {a: 1, errors: [{path: '/b', message: 'c'}]}, suggestions: ['moorage jobs list'],
    })
  })

  test('takes no member of an error that it does not know', () => {
    const error = Object.assign(new Error('boom'), {argv: ['--password', 'hunter2'], parse: {input: {argv: ['hunter2']}}})
    expect(JSON.stringify(toErrorDocument(toFault(error), 'moorage'))).not.toContain('hunter2')
  })
})

describe('renderFault', () => {
  test('says the message, the code and what to type next', () => {
    expect(renderFault(new Fault('NOT_FOUND', 'no job a', {suggestions: ['jobs list']}), view)).toBe('error: no job a (NOT_FOUND)\ntry: moorage jobs list\n')
  })

  test('draws nothing on the terminal, whatever an instance or a file says', () => {
    const evil = '\u001B[2J\u0007'
    const fault = new Fault('DEFINITION_INVALID', `${evil}\nb`, {details: {log: [evil]}, errors: [{path: '/a', message: 'a'}, {path: `/${evil}`, message: evil}], suggestions: [evil]})
    expect(renderFault(fault, view)).not.toMatch(/[\u001B\u0007]/)
    expect(renderFault(fault, view).split('\n')).toHaveLength(6)
  })

  test('names the request of an unexpected failure only', () => {
    const at = (status: number, code: string) =>
      renderFault(new ResponseFault(isFaultCode(code) ? code : 'INTERNAL', 'x', {code, status, requestId: 'req_1'}, {}), view)
    expect(at(500, 'INTERNAL')).toContain('request id: req_1')
    expect(at(404, 'NOT_FOUND')).not.toContain('req_1')
  })

  test('shows the stack, causes included, only when asked', () => {
    const fault = toFault(new Error('outer', {cause: new Error('inner')}))
    expect(renderFault(fault, view)).toContain('with --verbose')
    expect(renderFault(fault, view)).not.toContain('    at ')
    expect(renderFault(fault, {...view, verbose: true})).toMatch(/ {4}at .*\ncaused by Error: outer[\s\S]*caused by Error: inner/)
  })

  test('lists every field that is wrong', () => {
    const fault = new Fault('VALIDATION_ERROR', 'a: bad', {errors: [{path: '/a', message: 'bad'}, {path: '/b/0', message: 'worse'}]})
    expect(renderFault(fault, view)).toContain('\n  b/0: worse\n')
  })
})

test('every code ends with one of the few exit numbers', () => {
  for (const kind of Object.values(faultTable)) expect([1, 2, 4, 8, 130]).toContain(kind.exit)
})
