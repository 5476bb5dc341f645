/** Why a path can not be that of a file in a tree. */
export type PathFault = 'absolute' | 'leads out' | 'unreadable' | 'too long'

const longestPath = 4096
const longestName = 255
// A path names all folders above it, so that deep ones cost by their square.
const mostParts = 256

/** The path of an entry as trees keep it: relative, parts joined by one `/`, empty for the top. */
export function toEntryPath(name: string): {readonly path: string} | {readonly fault: PathFault} {
  if (name.startsWith('/')) return {fault: 'absolute'}
  // A replaced character means that the name was not UTF-8: two names may have become one.
  if (name.includes('\0') || name.includes('\uFFFD')) return {fault: 'unreadable'}
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) return {fault: 'leads out'}
  const path = parts.join('/')
  if (parts.length > mostParts || Buffer.byteLength(path) > longestPath || parts.some((part) => Buffer.byteLength(part) > longestName)) return {fault: 'too long'}
  return {path}
}

/** The folders above a path, nearest last. */
export function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}
