import {expect, it} from 'vitest'
import {encodeFrame, MessageReader, opcodes} from '../../../src/client/socket-frames.js'

/** As a server sends it: without a mask. */
function frameOf(opcode: number, payload: Buffer, isLast = true): Buffer {
  const {length} = payload
  const size = length < 126 ? Buffer.from([length]) : length < 65_536 ? Buffer.from([126, length >> 8, length & 255]) : Buffer.concat([Buffer.from([127, 0, 0, 0, 0]), Buffer.from([length >>> 24, (length >> 16) & 255, (length >> 8) & 255, length & 255])])
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode]), size, payload])
}

it.each([0, 1, 125, 126, 65_535, 65_536, 200_000])('masks a payload of %i bytes so that it comes back', (length) => {
  const payload = Buffer.alloc(length, 'abc')
  const frame = encodeFrame(opcodes.binary, payload)
  const start = length < 126 ? 2 : length < 65_536 ? 4 : 10
  expect([frame[0], (frame[1] ?? 0) & 0x80, frame.length]).toEqual([0x82, 0x80, start + 4 + length])
  const mask = frame.subarray(start, start + 4)
  expect(Buffer.from(frame.subarray(start + 4).map((byte, at) => byte ^ (mask[at & 3] ?? 0)))).toEqual(payload)
})

it('reads messages however the bytes are cut, and puts those in parts together', () => {
  const bytes = Buffer.concat([
    frameOf(opcodes.text, Buffer.from('é')), frameOf(opcodes.binary, Buffer.alloc(70_000, 7)),
    frameOf(opcodes.binary, Buffer.from('one '), false), frameOf(opcodes.ping, Buffer.from('?')), frameOf(opcodes.continuation, Buffer.from('two')),
    frameOf(opcodes.binary, Buffer.alloc(200, 8)), frameOf(opcodes.close, Buffer.alloc(0)),
  ])
  const whole = new MessageReader().push(bytes)
  expect(whole.map(({opcode, payload}) => [opcode, payload.length])).toEqual([[1, 2], [2, 70_000], [9, 1], [2, 7], [2, 200], [8, 0]])
  expect(whole[3]?.payload.toString()).toBe('one two')
  const reader = new MessageReader()
  const pieces = Array.from({length: Math.ceil(bytes.length / 1009)}, (_, index) => bytes.subarray(index * 1009, (index + 1) * 1009))
  expect(pieces.flatMap((piece) => reader.push(piece))).toEqual(whole)
})

it.each([
  ['masked', encodeFrame(opcodes.text, Buffer.from('x'))],
  ['with bits of an extension', Buffer.from([0xc1, 0])],
  ['larger than any that is sent', Buffer.from([0x82, 127, 0, 0, 0, 0, 0x7f, 0, 0, 0])],
])('refuses frames that are %s', (_, bytes) => {
  expect(() => new MessageReader().push(bytes)).toThrow()
})
