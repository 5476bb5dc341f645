import {lstat, readdir, readFile, readlink} from 'node:fs/promises'
import path from 'node:path'
import {Fault} from '../contract/faults.js'
import {parseDockerIgnore} from '../tree/docker-ignore.js'
import {toEntryPath} from '../tree/entry-path.js'
import {followLinks} from '../tree/follow-links.js'
import type {TarEntry} from '../tree/tar-header.js'
import {linkPath} from './project-link.js'

export interface FolderList {
  /** In the order of their paths. */
  readonly entries: readonly TarEntry[]
  /** What can not be sent, and why. */
  readonly leftOut: readonly {readonly path: string; readonly why: string}[]
}

export interface ListWish {
  readonly folder: string
  /** Paths that are sent although `.dockerignore` leaves them out, as what the deployment itself reads. */
  readonly keep: readonly string[]
  readonly signal: AbortSignal
}

const composeFiles = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml', 'compose.override.yaml', 'compose.override.yml', 'docker-compose.override.yaml', 'docker-compose.override.yml']
const permissions = 0o777

/**
 * What of a folder is sent: all but what the `.dockerignore` at its top leaves out, the folders `.git`, and the link to its project. A `.gitignore` plays no part, as what is built often
 * needs what is not committed. Sent in any case is what a deployment reads before any build: the Compose file with its `.env`, the Dockerfile, `.dockerignore`.
 */
export async function listFolder({folder, keep, signal}: ListWish): Promise<FolderList> {
  const names = new Set(await readdir(folder).catch((error: unknown) => unreadable(folder, error)))
  const found = composeFiles.filter((name) => names.has(name))
  const kept = new Set([...found, ...(found.length > 0 ? ['.env'] : []), 'Dockerfile', '.dockerignore', ...keep, ...keep.map((name) => `${name}.dockerignore`)].map((name) => path.posix.normalize(name)))
  const ignore = parseDockerIgnore(names.has('.dockerignore') ? await readFile(path.join(folder, '.dockerignore'), 'utf8') : '', ['**/.git', path.posix.dirname(linkPath)])
  const rules: Rules = {
    isSent: (place) => kept.has(place) || !ignore.ignores(place),
    mayHold: (place) => ignore.hasExceptions || [...kept].some((each) => each.startsWith(`${place}/`)),
  }
  const entries: TarEntry[] = []
  const leftOut: {path: string; why: string}[] = []
  for await (const entry of walk(folder, '', {rules, signal})) {
    if ('why' in entry) leftOut.push(entry)
    else entries.push(entry)
  }
  return withoutLinksOut(entries, leftOut)
}

interface Rules {
  readonly isSent: (path: string) => boolean
  /** Whether a folder that is left out may hold something that is sent. */
  readonly mayHold: (path: string) => boolean
}

type Walked = TarEntry | {readonly path: string; readonly why: string}

async function* walk(root: string, inside: string, {rules, signal}: {rules: Rules; signal: AbortSignal}): AsyncGenerator<Walked> {
  const found = await readdir(path.join(root, inside)).catch((error: unknown) => unreadable(path.join(root, inside), error))
  for (const name of found.sort()) {
    signal.throwIfAborted()
    const place = inside === '' ? name : `${inside}/${name}`
    const isSent = rules.isSent(place)
    if (!isSent && !rules.mayHold(place)) continue
    const named = toEntryPath(place)
    if ('fault' in named) {
      yield {path: place, why: 'its name can not be sent'}
      continue
    }
    const stats = await lstat(path.join(root, place)).catch((error: unknown) => unreadable(path.join(root, place), error))
    const mode = stats.mode & permissions
    if (stats.isDirectory()) {
      if (isSent) yield {path: place, type: 'folder', mode, size: 0}
      yield* walk(root, place, {rules, signal})
    } else if (!isSent) continue
    else if (stats.isFile()) yield {path: place, type: 'file', mode, size: stats.size}
    else if (stats.isSymbolicLink()) yield {path: place, type: 'link', mode: permissions, size: 0, target: await readlink(path.join(root, place))}
    else yield {path: place, why: 'it is neither a file nor a folder nor a link'}
  }
}

// The daemon takes no link that leads out, and what it leads to is not there anyway.
function withoutLinksOut(entries: readonly TarEntry[], leftOut: readonly {path: string; why: string}[]): FolderList {
  const targets = new Map(entries.flatMap(({path: place, target}) => (target === undefined ? [] : [[place, target] as const])))
  const leadsOut = new Set([...targets.keys()].filter((place) => {
    const followed = followLinks(place, (each) => targets.get(each))
    return 'fault' in followed && followed.fault === 'leads out'
  }))
  return {
    entries: entries.filter((entry) => !leadsOut.has(entry.path)),
    leftOut: [...leftOut, ...[...leadsOut].map((place) => ({path: place, why: `it is a link out of the folder, to ${targets.get(place) ?? ''}`}))],
  }
}

function unreadable(place: string, cause: unknown): never {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
  throw new Fault('USAGE', `can not read ${place} (${code})`, {details: {path: place, code}, cause})
}
