import {describe, expect, test} from 'vitest'
import {explainFault} from '../../../src/cli/explain-fault.js'
import {ResponseFault} from '../../../src/client/response-fault.js'
import {Fault, invalidInput} from '../../../src/contract/faults.js'

const place = {commandId: 'jobs run', fieldFlags: {parameters: '--param', serverIds: '--server'}, baseUrl: 'http://127.0.0.1:4400', tokenFromVariable: false}
const answered = (code: 'INVALID_TOKEN' | 'FORBIDDEN' | 'NOT_FOUND') => new ResponseFault(code, 'said so', {code, status: 400, requestId: 'req_1'}, {suggestions: []})

describe('a field that the API refuses', () => {
  test('is called by its flag, and by the name that was typed', () => {
    const fault = explainFault(invalidInput([{path: '/parameters/VERSION', message: 'is required'}]), place)
    expect({code: fault.code, message: fault.message}).toEqual({code: 'USAGE', message: '--param VERSION: is required'})
  })

  test('is called by its flag alone where it is a place in a list', () => {
    expect(explainFault(invalidInput([{path: '/serverIds/0', message: 'is not there'}]), place).message).toBe('--server: is not there')
  })

  test('keeps its own name where no flag sets it', () => {
    expect(explainFault(invalidInput([{path: '/other', message: 'is wrong'}]), place)).toMatchObject({code: 'VALIDATION_ERROR', message: 'other: is wrong'})
  })
})

describe('the next step', () => {
  test('of wrong usage is the help of the command, unless there is a better one', () => {
    expect(explainFault(new Fault('USAGE', 'x'), place).suggestions).toEqual(['jobs run --help'])
    expect(explainFault(new Fault('USAGE', 'x', {suggestions: ['servers list']}), place).suggestions).toEqual(['servers list'])
  })

  test('of a refused token is to sign in there', () => {
    expect(explainFault(answered('INVALID_TOKEN'), place).suggestions).toEqual(['login --url http://127.0.0.1:4400'])
  })

  test('of a refused MOORAGE_TOKEN says where the token came from, as login would take it again', () => {
    const fault = explainFault(answered('INVALID_TOKEN'), {...place, tokenFromVariable: true})
    expect(fault.message).toContain('MOORAGE_TOKEN')
    expect(fault.suggestions).toEqual(['login --url http://127.0.0.1:4400 --token-stdin'])
  })

  test('of what is not allowed is to look at who one is, and the request id stays', () => {
    const fault = explainFault(answered('FORBIDDEN'), place)
    expect(fault).toMatchObject({suggestions: ['whoami'], requestId: 'req_1'})
  })

  test('of anything else is left as it is', () => {
    const fault = answered('NOT_FOUND')
    expect(explainFault(fault, place)).toBe(fault)
  })
})
