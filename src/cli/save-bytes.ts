import {open, rename, rm} from 'node:fs/promises'
import {Fault} from '../contract/faults.js'

/** Writes a download to a file that is there only when it is whole; answers its size. */
export async function saveBytes(pieces: AsyncIterable<Uint8Array>, file: string): Promise<number> {
  const part = `${file}.part`
  const handle = await open(part, 'w').catch((error: unknown) => {
    throw new Fault('USAGE', `can not write ${file}`, {details: {file}, cause: error})
  })
  let sizeBytes = 0
  try {
    for await (const bytes of pieces) {
      await handle.writeFile(bytes)
      sizeBytes += bytes.length
    }
    await handle.close()
    await rename(part, file)
  } catch (error) {
    await handle.close().catch(() => undefined)
    await rm(part, {force: true})
    throw error
  }
  return sizeBytes
}
