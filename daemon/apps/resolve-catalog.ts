import {runsHere, toCard, type CatalogItem} from './judge.js'
import type {ReadManifest, UsableEntry} from './read-manifest.js'

/**
 * What this release offers of the bundled and the fetched catalog: the bundled order, with each app replaced by its fetched copy where that runs
 * here; then apps that were only fetched; then cards of shapes that only a newer release reads. Nothing too new is dropped, and no bundled app is
 * held back because its fetched copy is newer.
 */
export function resolveCatalog(bundled: ReadManifest, remote: ReadManifest, engine: string): CatalogItem[] {
  const inPlace = [...bundled.entries].map(([id, entry]) => replace(entry, remote.entries.get(id), engine))
  const added = [...remote.entries].filter(([id]) => !bundled.entries.has(id)).map(([, entry]) => ({entry, item: toItem(entry, engine)}))
  return [
    ...inPlace,
    ...added.filter(({entry}) => entry.kind === 'app').map(({item}) => item),
    ...added.filter(({entry}) => entry.kind === 'too-new').map(({item}) => item),
  ]
}

function replace(bundled: UsableEntry, remote: UsableEntry | undefined, engine: string): CatalogItem {
  const own = toItem(bundled, engine)
  if (remote === undefined) return own
  const newer = toItem(remote, engine)
  if (newer.requiresUpdate === undefined) return newer
  return own.requiresUpdate === undefined ? {...own, updateAvailable: true} : newer
}

/** The entry where it runs here, else a card that says what it needs. */
export function toItem(entry: UsableEntry, engine: string): CatalogItem {
  if (entry.kind === 'too-new') return toCard(entry.card, entry.minVersion)
  return runsHere(entry.definition, engine) ? {definition: entry.definition} : toCard(entry.definition, entry.definition.minEngine)
}
