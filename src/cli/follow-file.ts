import {watch} from 'node:fs'
import {open, type FileHandle} from 'node:fs/promises'

const chunkBytes = 65_536

/** The last lines of a file, newest last. Reads from the end, as logs grow long. */
export async function readLastLines(handle: FileHandle, count: number): Promise<{text: string; endOffset: number}> {
  const endOffset = (await handle.stat()).size
  let text = Buffer.alloc(0)
  for (let start = endOffset; start > 0 && countLines(text) <= count; ) {
    const length = Math.min(chunkBytes, start)
    start -= length
    const piece = Buffer.alloc(length)
    await handle.read(piece, 0, length, start)
    text = Buffer.concat([piece, text])
  }
  const lines = text.toString('utf8').split('\n')
  const ended = lines.at(-1) === ''
  const shown = lines.slice(-(count + (ended ? 1 : 0)))
  return {text: count === 0 ? '' : shown.join('\n'), endOffset}
}

function countLines(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines += 1
  return lines
}

/** What is written to a file from an offset on, until the signal ends it. A file that was cut is read from its start. */
export async function* followFile(file: string, fromOffset: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  let changed: () => void = () => undefined
  const watcher = watch(file, () => changed())
  signal.addEventListener('abort', () => changed(), {once: true})
  const handle = await open(file)
  let offset = fromOffset
  try {
    while (!signal.aborted) {
      const next = new Promise<void>((resolve) => (changed = resolve))
      const {size} = await handle.stat()
      if (size < offset) offset = 0
      if (size === offset) {
        await next
        continue
      }
      const piece = Buffer.alloc(Math.min(chunkBytes, size - offset))
      const {bytesRead} = await handle.read(piece, 0, piece.length, offset)
      offset += bytesRead
      yield piece.subarray(0, bytesRead)
    }
  } finally {
    watcher.close()
    await handle.close()
  }
  throw signal.reason
}
