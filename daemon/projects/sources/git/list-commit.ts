import {toEntryPath} from '../../../../src/tree/entry-path.js'
import {sourceFault} from '../source-fault.js'
import type {IndexEntry} from '../tree-index.js'
import {GitBlobs} from './git-blobs.js'
import {MirrorDamaged} from './git-failure.js'
import type {GitProgram} from './git-program.js'

export interface GitEntry extends IndexEntry {
  /** The repository that holds the content. */
  readonly gitDir: string
}

/** A commit of another repository that stands at a path. */
export interface GitLink {
  readonly path: string
  readonly commit: string
}

export interface CommitList {
  readonly entries: readonly GitEntry[]
  readonly links: readonly GitLink[]
  /** Names that are no UTF-8 or lead out; they are left out. */
  readonly unreadable: readonly string[]
}

export interface ListWish {
  readonly git: GitProgram
  readonly gitDir: string
  readonly commit: string
  readonly mostEntries: number
  /** Where the repository stands in the tree: empty, or a path and a slash. */
  readonly prefix: string
}

interface Row {
  readonly mode: string
  readonly id: string
  readonly size: number
  readonly path: string
}

const linkMode = '120000'
const fileModes: ReadonlyMap<string, number> = new Map([['100644', 0o644], ['100664', 0o644], ['100755', 0o755]])

/** Every file of a commit, straight from the object database. */
export async function listCommit({git, gitDir, commit, mostEntries, prefix}: ListWish, signal: AbortSignal): Promise<CommitList> {
  const {exitCode, stdout, stderr} = await git.run({args: ['ls-tree', '-r', '-z', '-l', '--full-tree', commit], gitDir, signal})
  if (exitCode !== 0) throw new MirrorDamaged(`git ls-tree: ${stderr.trim()}`)
  const rows = stdout.toString('utf8').split('\0').filter((text) => text !== '').map(parseRow)
  if (rows.length > mostEntries) throw sourceFault('too-large', `the commit holds more than ${mostEntries} files`, {details: {files: rows.length, mostEntries}})
  const [good, bad] = [rows.filter(({path}) => isReadable(path)), rows.filter(({path}) => !isReadable(path))]
  const targets = await readTargets({git, gitDir}, good.filter(({mode}) => mode === linkMode), signal)
  return {
    entries: good.flatMap(({mode, path, id, size}): GitEntry[] => {
      const place = {path: prefix + path, gitDir}
      const target = targets.get(path)
      if (target !== undefined) return [{...place, type: 'link', mode: 0o777, size: 0, contentId: target, target}]
      const fileMode = fileModes.get(mode)
      return fileMode === undefined ? [] : [{...place, type: 'file', mode: fileMode, size, contentId: id}]
    }),
    links: good.filter(({mode}) => mode === '160000').map(({path, id}) => ({path, commit: id})),
    unreadable: bad.map(({path}) => path),
  }
}

// `100644 blob <id>    <size>\t<path>`; a commit has `-` for its size.
function parseRow(text: string): Row {
  const tab = text.indexOf('\t')
  const [mode = '', , id = '', size = '0'] = text.slice(0, tab).split(/ +/)
  return {mode, id, size: size === '-' ? 0 : Number(size), path: text.slice(tab + 1)}
}

function isReadable(path: string): boolean {
  const named = toEntryPath(path)
  return 'path' in named && named.path === path
}

const longestTarget = 4096

async function readTargets({git, gitDir}: Pick<ListWish, 'git' | 'gitDir'>, links: readonly Row[], signal: AbortSignal): Promise<Map<string, string>> {
  const targets = new Map<string, string>()
  const blobs = new GitBlobs(git, gitDir, signal)
  try {
    for (const {path, id, size} of links) {
      // No system takes a longer one.
      if (size > longestTarget) continue
      let target = ''
      for await (const bytes of blobs.read(id)) target += Buffer.from(bytes).toString('utf8')
      targets.set(path, target)
    }
  } finally {
    await blobs.close()
  }
  return targets
}
