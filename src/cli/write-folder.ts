import {randomBytes} from 'node:crypto'
import {chmod, lstat, mkdir, open, rename, rm} from 'node:fs/promises'
import path from 'node:path'
import {Fault} from '../contract/faults.js'

export interface NewFile {
  /** Relative to the folder. */
  readonly path: string
  readonly text: string
  readonly mode: number
  /** It may take the place of what is there. */
  readonly replaces?: boolean
}

export interface FolderPlan {
  readonly folder: string
  readonly files: readonly NewFile[]
  /** Modes of folders in it, by their paths; others are 0755. */
  readonly folderModes: Readonly<Record<string, number>>
  /** Replace what is there. */
  readonly force: boolean
}

/** Writes files into a folder and nowhere else; where one is there already, writes none. */
export async function writeFolder({folder, files, folderModes, force}: FolderPlan): Promise<string[]> {
  const root = path.resolve(folder)
  const placed = files.map((file) => ({...file, target: placeIn(root, file.path)}))
  const found = await Promise.all(placed.map(async ({target, replaces}) => ({target, replaces, state: await stateOf(root, target)})))
  const blocked = found.find(({state}) => state === 'blocked')
  if (blocked !== undefined) throw new Fault('CONFLICT', `can not write ${blocked.target}: a folder or a link is in the way`, {details: {file: blocked.target}})
  const present = found.filter(({state, replaces}) => state === 'file' && replaces !== true && !force).map(({target}) => target)
  if (present.length > 0) {
    throw new Fault('CONFLICT', `${present.join(', ')} ${present.length === 1 ? 'is' : 'are'} there already; --force replaces ${present.length === 1 ? 'it' : 'them'}`, {details: {files: present}})
  }
  // In order, so that a failure leaves the first ones whole and no other.
  for (const {target, text, mode} of placed) await place(root, {target, text, mode, folderModes})
  return placed.map(({target}) => target)
}

function placeIn(root: string, relative: string): string {
  const target = path.resolve(root, relative)
  if (!target.startsWith(root === path.sep ? root : `${root}${path.sep}`)) throw new Fault('DEFINITION_INVALID', `${relative} lies outside ${root}`)
  return target
}

// A link below the folder would lead out of it.
async function stateOf(root: string, target: string): Promise<'free' | 'file' | 'blocked'> {
  for (const parent of foldersBetween(root, target)) {
    const found = await lookAt(parent)
    if (found === undefined) return 'free'
    if (!found.isDirectory()) return 'blocked'
  }
  const found = await lookAt(target)
  if (found === undefined) return 'free'
  return found.isFile() ? 'file' : 'blocked'
}

function foldersBetween(root: string, target: string): string[] {
  const parts = path.relative(root, path.dirname(target)).split(path.sep).filter((part) => part !== '')
  return parts.map((_, index) => path.join(root, ...parts.slice(0, index + 1)))
}

async function lookAt(file: string) {
  return lstat(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw unwritable(file, error)
  })
}

async function place(root: string, {target, text, mode, folderModes}: Omit<NewFile, 'path'> & {target: string; folderModes: FolderPlan['folderModes']}): Promise<void> {
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await mkdir(root, {recursive: true})
    for (const parent of foldersBetween(root, target)) {
      const isNew = (await mkdir(parent, {recursive: true})) !== undefined
      const wanted = folderModes[path.relative(root, parent)]
      if (wanted !== undefined || isNew) await chmod(parent, wanted ?? 0o755)
    }
    const handle = await open(temporary, 'wx', mode)
    try {
      await handle.writeFile(text)
      // What the process takes away from new files would make some of them unreadable in their container.
      await handle.chmod(mode)
    } finally {
      await handle.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, {force: true}).catch(() => undefined)
    throw unwritable(target, error)
  }
}

function unwritable(file: string, error: unknown): Fault {
  return new Fault('USAGE', `can not write ${file}: ${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'}`, {details: {file}, cause: error})
}
