import {randomBytes} from 'node:crypto'
import {chmod, mkdir, open, rename, rm} from 'node:fs/promises'
import path from 'node:path'

/** Replaces a file as a whole, readable by its owner only, whatever mode it had. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), {recursive: true, mode: 0o700})
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await chmod(temporary, 0o600)
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, {force: true})
    throw error
  }
}
