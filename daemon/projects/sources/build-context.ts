import path from 'node:path'
import {parseDockerIgnore} from '../../../src/tree/docker-ignore.js'
import {foldersAbove} from '../../../src/tree/entry-path.js'
import {sourceFault} from './source-fault.js'
import type {IndexEntry, TreeIndex} from './tree-index.js'

/** An entry and its path within the context. */
export interface ContextEntry<E extends IndexEntry> {
  readonly path: string
  /** Undefined for a folder that the tree does not name itself. */
  readonly entry: E | undefined
}

export interface ContextWish {
  readonly folder: string
  /** Path of the Dockerfile within the folder. */
  readonly dockerfile: string
  /** Text of a file of the tree; undefined where there is none. */
  readonly readText: (path: string) => Promise<string | undefined>
}

/** What a build gets of a folder, in order: all but what its `.dockerignore` leaves out. One named after the Dockerfile counts before the common one. */
export async function selectContext<E extends IndexEntry>(index: TreeIndex<E>, {folder, dockerfile, readText}: ContextWish): Promise<ContextEntry<E>[]> {
  const found = index.find(folder)
  if (found?.kind !== 'folder') throw sourceFault('folder', `the source has no folder ${folder}`, {details: {folder}})
  const prefix = found.path === '' ? '' : `${found.path}/`
  const own = `${path.posix.normalize(dockerfile)}.dockerignore`
  const text = (await readText(prefix + own)) ?? (await readText(`${prefix}.dockerignore`)) ?? ''
  const ignore = parseDockerIgnore(text)
  // The builder reads these itself, and then takes away what is ignored.
  const needed = new Set([path.posix.normalize(dockerfile), own, '.dockerignore'])
  return withFolders(
    index.below(found.path).flatMap((entry) => {
      const inside = entry.path.slice(prefix.length)
      return needed.has(inside) || !ignore.ignores(inside) ? [{path: inside, entry}] : []
    }),
  )
}

// Every folder stands before what is in it, also where the tree keeps files only.
function withFolders<E extends IndexEntry>(entries: readonly ContextEntry<E>[]): ContextEntry<E>[] {
  const known = new Set<string>()
  return entries.flatMap((each) => {
    const missing = foldersAbove(each.path).filter((folder) => !known.has(folder))
    for (const folder of missing) known.add(folder)
    if (each.entry?.type === 'folder') known.add(each.path)
    return [...missing.map((folder) => ({path: folder, entry: undefined})), each]
  })
}
