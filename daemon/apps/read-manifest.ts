import {setImmediate} from 'node:timers/promises'
import {judge, type Judged} from './judge.js'

export interface SkippedEntry {
  readonly id: string | null
  readonly reason: string
}

export type UsableEntry = Exclude<Judged, {kind: 'refused'}>

export interface ReadManifest {
  /** By id, in the order of the manifest; of two of one id the last. */
  readonly entries: ReadonlyMap<string, UsableEntry>
  readonly skipped: readonly SkippedEntry[]
}

/** Why a text is no manifest, in words that follow "the catalog". */
export class ManifestError extends Error {
  override readonly name = 'ManifestError'
}

export const emptyManifest: ReadManifest = {entries: new Map(), skipped: []}

const entriesAtOnce = 20

/** Reads a manifest `{version, apps}` entry by entry, letting others run in between. Throws a ManifestError where it is none. */
export async function readManifest(manifestText: string): Promise<ReadManifest> {
  const apps = parseApps(manifestText)
  const entries = new Map<string, UsableEntry>()
  const skipped: SkippedEntry[] = []
  for (const [index, raw] of apps.entries()) {
    if (index % entriesAtOnce === entriesAtOnce - 1) await setImmediate()
    const judged = judge(raw)
    if (judged.kind === 'refused') skipped.push({id: judged.id, reason: judged.reason})
    else entries.set(judged.kind === 'app' ? judged.definition.id : judged.card.id, judged)
  }
  return {entries, skipped}
}

function parseApps(manifestText: string): readonly unknown[] {
  let value: unknown
  try {
    value = JSON.parse(manifestText)
  } catch (error) {
    throw new ManifestError('is not JSON', {cause: error})
  }
  const apps = typeof value === 'object' && value !== null && 'apps' in value ? value.apps : undefined
  if (!Array.isArray(apps)) throw new ManifestError('has no list "apps"')
  return apps
}
