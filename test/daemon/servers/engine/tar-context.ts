import {Readable} from 'node:stream'
import {pack} from 'tar-stream'

/** A build context of these files. */
export function contextOf(files: Readonly<Record<string, string | Buffer>>): Readable {
  const tar = pack()
  for (const [name, content] of Object.entries(files)) tar.entry({name}, content)
  tar.finalize()
  return Readable.from(tar, {objectMode: false})
}
