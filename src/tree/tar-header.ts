/** What a tar archive says of an entry before its content. */
export interface TarEntry {
  /** Relative, with `/`. */
  readonly path: string
  readonly type: 'file' | 'folder' | 'link'
  /** Permission bits. */
  readonly mode: number
  /** Of the content; 0 for what is no file. */
  readonly size: number
  /** Where a link leads. */
  readonly target?: string
}

export const tarBlockBytes = 512

const typeFlags = {file: '0', link: '2', folder: '5'} as const
const longestField = 100
const largestOctalSize = 8 ** 11

// One instant for everything: the same tree gives the same bytes. Not 1970, as there are programs that take no file from before 1980.
const mtimeSeconds = Date.parse('2000-01-01T00:00:00Z') / 1000

/** The header of an entry in the ustar form of POSIX; what does not fit there stands in a pax header before it. Owner is root, the time is always the same. */
export function tarHeader(entry: TarEntry): Buffer {
  const path = entry.type === 'folder' ? `${entry.path}/` : entry.path
  const target = entry.target ?? ''
  const records = [
    ...(fitsField(path) ? [] : [paxRecord('path', path)]),
    ...(fitsField(target) ? [] : [paxRecord('linkpath', target)]),
    ...(entry.size < largestOctalSize ? [] : [paxRecord('size', String(entry.size))]),
  ]
  const plain = {path: shorten(path), target: shorten(target), mode: entry.mode, typeFlag: typeFlags[entry.type], size: entry.size % largestOctalSize}
  if (records.length === 0) return block(plain)
  const extended = Buffer.concat(records)
  return Buffer.concat([
    block({path: 'PaxHeader', target: '', mode: 0o644, typeFlag: 'x', size: extended.length}), extended, tarPadding(extended.length), block(plain),
  ])
}

/** What fills the last block of a content. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((tarBlockBytes - (size % tarBlockBytes)) % tarBlockBytes)
}

/** What an archive ends with. */
export const tarEnd = Buffer.alloc(2 * tarBlockBytes)

function fitsField(text: string): boolean {
  return text.length <= longestField && /^[\x20-\x7e]*$/.test(text)
}

// For readers that know no pax headers.
function shorten(text: string): string {
  return fitsField(text) ? text : text.replace(/[^\x20-\x7e]/g, '_').slice(0, longestField)
}

// The length at its start counts itself.
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`)
  let length = rest.length + 1
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

interface PlainHeader {
  readonly path: string
  readonly target: string
  readonly mode: number
  readonly typeFlag: string
  readonly size: number
}

function block({path, target, mode, typeFlag, size}: PlainHeader): Buffer {
  const header = Buffer.alloc(tarBlockBytes)
  header.write(path, 0, 'latin1')
  header.write(octal(mode, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(size, 11), 124)
  header.write(octal(mtimeSeconds, 11), 136)
  // The sum counts its own field as blanks.
  header.write(' '.repeat(8), 148)
  header.write(typeFlag, 156)
  header.write(target, 157, 'latin1')
  header.write('ustar\u0000' + '00', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\u0000 `, 148)
  return header
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}
