import {Readable} from 'node:stream'
import {tarEnd, tarHeader, tarPadding, type TarEntry} from './tar-header.js'

/** An entry that can be asked for its content, once. */
export interface TarItem extends TarEntry {
  content(): AsyncIterable<Uint8Array>
}

const pieceBytes = 64 * 1024

/**
 * A tar archive of the items in their order. Nothing is read ahead of who takes it, and the source is told when nobody does any more. An item
 * with more or less content than its size ends the stream with an error of `changed`.
 */
export function tarStream(items: AsyncIterable<TarItem> | Iterable<TarItem>, changed: (item: TarItem) => Error): Readable {
  return Readable.from(inPieces(tarBytes(items, changed)), {objectMode: false, highWaterMark: pieceBytes})
}

async function* tarBytes(items: AsyncIterable<TarItem> | Iterable<TarItem>, changed: (item: TarItem) => Error): AsyncGenerator<Uint8Array> {
  for await (const item of items) {
    yield tarHeader(item)
    if (item.type !== 'file') continue
    let left = item.size
    for await (const bytes of item.content()) {
      left -= bytes.length
      if (left < 0) throw changed(item)
      yield bytes
    }
    if (left > 0) throw changed(item)
    yield tarPadding(item.size)
  }
  yield tarEnd
}

// Many files are smaller than a piece; handing each over alone costs more than reading it.
async function* inPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let size = 0
  for await (const bytes of source) {
    waiting.push(bytes)
    size += bytes.length
    if (size < pieceBytes) continue
    yield Buffer.concat(waiting, size)
    waiting = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(waiting, size)
}
