import {createHmac, randomBytes} from 'node:crypto'
import {expect, test} from 'vitest'
import {generateSecret, signJwt} from '../../../src/catalog/generate-values.js'
import {countingBytes, nowMs, secretNumber} from './app-fixture.js'

test('a secret is 32 bytes as 64 lower-case hexadecimal digits', () => {
  expect(generateSecret(countingBytes())).toBe(secretNumber(1))
  for (let round = 0; round < 20; round += 1) expect(generateSecret(randomBytes)).toMatch(/^[0-9a-f]{64}$/)
})

const decode = (part: string | undefined): string => Buffer.from(part ?? '', 'base64url').toString()

test('a token says who it is for and how long, in this order, and nothing else', () => {
  const [header, payload] = signJwt({role: 'anon', secret: secretNumber(1), nowMs}).split('.')
  expect(decode(header)).toBe('{"alg":"HS256","typ":"JWT"}')
  const iat = Math.floor(nowMs / 1000)
  expect(decode(payload)).toBe(`{"role":"anon","iss":"supabase","iat":${iat},"exp":${iat + 10 * 365 * 24 * 3600}}`)
})

test('a token is signed with the text of the secret, and not with the bytes that the text stands for', () => {
  const secret = secretNumber(7)
  const [header, payload, signature] = signJwt({role: 'service_role', secret, nowMs}).split('.')
  const sign = (key: string | Buffer): string => createHmac('sha256', key).update(`${header}.${payload}`).digest('base64url')
  expect(signature).toBe(sign(secret))
  expect(signature).not.toBe(sign(Buffer.from(secret, 'hex')))
})

test('no part of a token is padded', () => {
  for (let length = 1; length < 12; length += 1) expect(signJwt({role: 'r'.repeat(length), secret: 's', nowMs})).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{43}$/)
})
