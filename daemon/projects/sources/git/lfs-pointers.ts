import type {ContentReader} from '../indexed-tree.js'
import type {GitEntry} from './list-commit.js'

// A pointer is a few lines; the format sets 1024 bytes as its most.
const largestPointer = 1024
const mostChecked = 2000
const firstLine = 'version https://git-lfs.github.com/spec/v1'

/** Paths of files of which the repository keeps only a pointer, as their contents lie in Git LFS. Looks no further where no file asks for it. */
export async function findLfsPointers(entries: readonly GitEntry[], reader: ContentReader<GitEntry>): Promise<string[]> {
  const attributes = entries.filter(({path, type, size}) => type === 'file' && size < 100_000 && /(?:^|\/)\.gitattributes$/.test(path))
  let usesLfs = false
  for (const entry of attributes.slice(0, mostChecked)) usesLfs ||= (await readStart(reader, entry)).includes('filter=lfs')
  if (!usesLfs) return []
  const small = entries.filter(({type, size}) => type === 'file' && size >= firstLine.length && size <= largestPointer)
  const pointers: string[] = []
  for (const entry of small.slice(0, mostChecked)) if ((await readStart(reader, entry)).startsWith(firstLine)) pointers.push(entry.path)
  return pointers
}

async function readStart(reader: ContentReader<GitEntry>, entry: GitEntry): Promise<string> {
  let text = ''
  for await (const bytes of reader.read(entry)) text += Buffer.from(bytes).toString('latin1')
  return text
}
