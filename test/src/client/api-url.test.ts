import {describe, expect, test} from 'vitest'
import {parseApiUrl} from '../../../src/client/api-url.js'

describe('parseApiUrl', () => {
  test.each([
    ['https://ops.example.com', 'https://ops.example.com'],
    ['https://ops.example.com/', 'https://ops.example.com'],
    ['https://ops.example.com/api', 'https://ops.example.com'],
    ['https://ops.example.com/api/', 'https://ops.example.com'],
    ['https://ops.example.com:8443//', 'https://ops.example.com:8443'],
    ['https://example.com/ops/api', 'https://example.com/ops'],
    ['ops.example.com', 'https://ops.example.com'],
    ['localhost:4400', 'http://localhost:4400'],
    ['127.0.0.1:4400/api', 'http://127.0.0.1:4400'],
    ['[::1]:4400', 'http://[::1]:4400'],
    ['  http://localhost:4400 ', 'http://localhost:4400'],
  ])('takes %s as %s', (text, base) => {
    expect(parseApiUrl(text, '--url')).toBe(base)
  })

  test.each(['', '  ', 'ftp://x', 'https://', 'https://u:p@x', 'https://x?y=1', 'https://x#y', 'http://x:99999'])('refuses %j, naming where it stands', (text) => {
    expect(() => parseApiUrl(text, 'MOORAGE_URL')).toThrowError(expect.objectContaining({code: 'CONFIGURATION', message: expect.stringContaining('MOORAGE_URL') as unknown}) as Error)
  })
})
