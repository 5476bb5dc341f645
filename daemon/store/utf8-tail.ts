/** The bytes at the end that begin a character of UTF-8 and may be gone on with; none where the end is one of a character, or no UTF-8. */
export function unfinishedCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 && byte <= 0xf4 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 1
    return length > back ? bytes.subarray(bytes.length - back) : bytes.subarray(bytes.length)
  }
  return bytes.subarray(bytes.length)
}

/** The text of a chunk: with what the one before left of a character, without what it leaves itself. */
export function decodeChunk(carry: string, bytes: Buffer): string {
  const whole = carry === '' ? bytes : Buffer.concat([Buffer.from(carry, 'hex'), bytes])
  return whole.toString('utf8', 0, whole.length - unfinishedCharacter(whole).length)
}
