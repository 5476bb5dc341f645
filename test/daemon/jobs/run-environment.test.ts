import {expect, it} from 'vitest'
import {toEventPayload} from '../../../daemon/jobs/run-environment.js'

it('gives a payload as JSON', () => {
  expect(toEventPayload({branch: 'main', note: 'a\nb\u0000'})).toBe('{"branch":"main","note":"a\\nb\\u0000"}')
})

it('leaves a payload out that does not fit, as half of it would be no JSON', () => {
  expect(toEventPayload({text: 'x'.repeat(32 * 1024)})).toBe('{"truncated":true}')
  expect(Buffer.byteLength(toEventPayload({text: 'x'.repeat(32 * 1024 - 11)}))).toBe(32 * 1024)
})

it('has an answer for what is no JSON', () => {
  expect(toEventPayload(undefined)).toBe('null')
})
