import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {EventParser, type ServerEvent} from '../../../src/client/event-parser.js'

const encode = (text: string) => new TextEncoder().encode(text)

function parse(...pieces: (string | Uint8Array)[]): ServerEvent[] {
  const parser = new EventParser()
  return pieces.flatMap((piece) => parser.push(typeof piece === 'string' ? encode(piece) : piece))
}

describe('EventParser', () => {
  test.each([
    ['LF', 'event: log\ndata: a\n\n'],
    ['CR', 'event: log\rdata: a\r\r'],
    ['CRLF', 'event: log\r\ndata: a\r\n\r\n'],
    ['a mixture', 'event: log\rdata: a\r\n\n'],
  ])('ends lines at %s', (_, text) => {
    expect(parse(text)).toEqual([{event: 'log', data: 'a', lastEventId: ''}])
  })

  test('drops a byte order mark at the start only', () => {
    expect(parse('\uFEFFdata: \uFEFFa\n\n')).toEqual([{event: 'message', data: '\uFEFFa', lastEventId: ''}])
  })

  test('skips comments and unknown fields', () => {
    expect(parse(': ok\n\n: again\nwhatever: x\ndata\ndata: b\n\n')).toEqual([{event: 'message', data: '\nb', lastEventId: ''}])
  })

  test('joins data lines and removes one leading space of each', () => {
    expect(parse('data:a\ndata:  b\ndata:\n\n')[0]?.data).toBe('a\n b\n')
  })

  test('gives no event without data, and forgets its name', () => {
    expect(parse('event: lost\n\ndata: a\n\n')).toEqual([{event: 'message', data: 'a', lastEventId: ''}])
  })

  test('keeps the last id for the events after it, and ignores one with a NUL', () => {
    expect(parse('id: 7\ndata: a\n\ndata: b\n\nid: x\0y\ndata: c\n\nid\ndata: d\n\n').map((event) => event.lastEventId)).toEqual(['7', '7', '7', ''])
  })

  test('takes a retry of digits only', () => {
    const parser = new EventParser()
    parser.push(encode('retry: 1500\nretry: 2s\n'))
    expect(parser.retryMs).toBe(1500)
  })

  test('drops an event that the stream ends within', () => {
    expect(parse('data: a\n\ndata: b\n')).toHaveLength(1)
  })

  test('gives the same events however the bytes are cut', () => {
    const line = fc.array(fc.constantFrom('a', 'ü', '漢', '😀', ' ', ':', '\u2028'), {maxLength: 8}).map((letters) => letters.join(''))
    const event = fc.record({id: fc.option(fc.nat().map(String)), name: fc.constantFrom('log', 'complete', 'ping'), lines: fc.array(line, {minLength: 1, maxLength: 3})})
    const ending = fc.constantFrom('\n', '\r', '\r\n')
    fc.assert(
      fc.property(fc.array(event, {maxLength: 6}), ending, fc.array(fc.nat(200), {maxLength: 30}), (events, end, cuts) => {
        const text = events.map(({id, name, lines}) => [...(id === null ? [] : [`id: ${id}`]), `event: ${name}`, ...lines.map((data) => `data: ${data}`), ''].join(end) + end).join('')
        const bytes = encode(text)
        const edges = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
        const pieces = [...edges, bytes.length].map((edge, index) => bytes.subarray(index === 0 ? 0 : edges[index - 1], edge))
        // The last CR of a CR-only stream may still become a CRLF, but its line has ended.
        const found = parse(...pieces)
        expect(found).toEqual(parse(bytes))
        expect(found.map(({event: name, data}) => ({name, data}))).toEqual(events.map(({name, lines}) => ({name, data: lines.join('\n')})))
      }),
    )
  })
})
