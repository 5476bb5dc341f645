import {createHash, randomInt} from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `<prefix>_pat_` and 43 base62 characters: 256 bits. Shown once, never stored. */
export function newTokenSecret(prefix: string): string {
  const random = Array.from({length: 43}, () => alphabet[randomInt(alphabet.length)]).join('')
  return `${prefix}_pat_${random}`
}

export function isTokenSecret(text: string): boolean {
  return /^[a-z][a-z0-9]{0,19}_pat_[A-Za-z0-9_-]{20,128}$/.test(text)
}

export function hashTokenSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** What a list shows of a secret: the fixed part and the next six characters. */
export function displayPrefix(secret: string): string {
  return secret.slice(0, secret.indexOf('_pat_') + 5 + 6)
}
