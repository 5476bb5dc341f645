import {pipeline} from 'node:stream'
import {createGunzip} from 'node:zlib'
import type {Clock} from '../../../clock.js'
import {Fault} from '../../../../src/contract/faults.js'
import {uploadFault} from './upload-fault.js'

export interface ArchiveLimits {
  /** Of the archive as it is sent. */
  readonly uploadBytes: number
  readonly unpackedBytes: number
  readonly entries: number
  /** Without a byte. */
  readonly idleMs: number
}

export interface Unpacked {
  readonly tar: AsyncIterable<Uint8Array>
  /** Nothing more is wanted. */
  readonly stop: () => void
  /** Of what was sent. */
  readonly bytesRead: () => number
}

/** The tar archive in what is sent, within the limits of what may be sent and what may come of it. */
export function unpacked(content: AsyncIterable<Uint8Array>, {clock, limits}: {readonly clock: Clock; readonly limits: ArchiveLimits}): Unpacked {
  const gunzip = createGunzip()
  let bytes = 0
  async function* counted() {
    for await (const piece of withoutSilence(content, clock, limits.idleMs)) {
      if (bytes === 0 && piece[0] !== 0x1f) throw uploadFault('format', 'this is no gzip archive; send a tar archive that is packed with gzip')
      bytes += piece.length
      if (bytes > limits.uploadBytes) throw tooLarge(limits.uploadBytes)
      yield piece
    }
    if (bytes === 0) throw uploadFault('empty', 'nothing was sent')
  }
  // Whoever reads from it hears of a failure; one that comes when nobody reads any more is nobody's.
  pipeline(counted(), gunzip.on('error', () => undefined), () => undefined)
  return {tar: bounded(gunzip, limits.unpackedBytes), stop: () => void gunzip.destroy(), bytesRead: () => bytes}
}

async function* bounded(source: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of source) {
    bytes += piece.length
    if (bytes > mostBytes) throw uploadFault('bomb', `unpacked the archive is larger than ${mostBytes} bytes`, {mostBytes})
    yield piece
  }
}

function tooLarge(limitBytes: number): Fault {
  return new Fault('PAYLOAD_TOO_LARGE', `the archive is larger than ${limitBytes} bytes; leave out what the build does not need with .dockerignore`, {details: {limitBytes}})
}

// Whoever stops sending keeps nobody waiting.
async function* withoutSilence(content: AsyncIterable<Uint8Array>, clock: Clock, idleMs: number): AsyncGenerator<Uint8Array> {
  const source = content[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await soonEnough(source.next(), clock, idleMs)
      if (next.done === true) return
      yield next.value
    }
  } finally {
    // An iterator that waits for bytes can not end before they come, so nobody waits for that.
    void source.return?.().catch(() => undefined)
  }
}

function soonEnough<T>(next: Promise<T>, clock: Clock, idleMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(idleMs, () => reject(uploadFault('interrupted', `nothing has come for ${Math.round(idleMs / 1000)} s`)))
    next.then(
      (value) => {
        cancel()
        resolve(value)
      },
      (error: unknown) => {
        cancel()
        reject(error)
      },
    )
  })
}
