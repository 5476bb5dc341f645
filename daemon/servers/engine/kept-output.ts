/** Keeps the start of both streams of a command, up to a number of bytes each. */
export class KeptOutput {
  readonly #mostBytes: number
  readonly #pieces = {stdout: [] as Buffer[], stderr: [] as Buffer[]}
  readonly #left: {stdout: number; stderr: number}
  truncated = false

  constructor(mostBytes = 1_000_000) {
    this.#mostBytes = mostBytes
    this.#left = {stdout: mostBytes, stderr: mostBytes}
  }

  take(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    const left = this.#left[stream]
    if (bytes.length > left) this.truncated = true
    if (left > 0) this.#pieces[stream].push(Buffer.from(bytes.subarray(0, left)))
    this.#left[stream] = Math.max(0, left - bytes.length)
  }

  text(stream: 'stdout' | 'stderr'): string {
    return Buffer.concat(this.#pieces[stream], this.#mostBytes - this.#left[stream]).toString('utf8')
  }
}
