import {mergeUpstream} from '../../../src/compose/merge-upstream.js'
import type {Sealer} from '../../store/secrets.js'
import type {ServiceRecord} from '../records.js'
import {openFiles} from '../sources/open-files.js'
import {openInline} from '../service-view.js'
import {readDefinition, type Described, type TextSource} from './read-definition.js'
import type {ReleaseTexts} from './release-book.js'
import {openUpstream, toPlainFields} from './sync-services.js'

/** Asks a tree, and keeps every text that was read: the Compose file and all that it names. */
export function keepTexts({has, readText}: TextSource): {readonly tree: TextSource; readonly texts: ReleaseTexts} {
  const texts: Record<string, string> = {}
  return {
    texts,
    tree: {
      has,
      async readText(path, maxBytes) {
        const text = await readText(path, maxBytes)
        if (text !== undefined) texts[path] = text
        return text
      },
    },
  }
}

export interface Reading {
  readonly project: Described
  readonly texts: ReleaseTexts
  /** Of the project, in plain text. */
  readonly variables: Readonly<Record<string, string>>
}

/** The environment that each service is described with, by its name, where `${…}` of its Compose file takes the variables of now. */
export async function inlineEnvironments(sealer: Sealer, rows: readonly ServiceRecord[], {project, texts, variables}: Reading): Promise<ReadonlyMap<string, Record<string, string>>> {
  const definition = Object.keys(texts).length === 0 ? null : await readDefinition(openFiles(texts), project, variables)
  return new Map(rows.map((row) => {
    const now = definition?.services.find(({name}) => name === row.name)
    if (now === undefined || row.upstream === null) return [row.name, openInline(sealer, row)] as const
    const {row: merged} = mergeUpstream(toPlainFields(row, sealer), {before: openUpstream(row.upstream, row.id, sealer), now, drifted: row.drift})
    return [row.name, {...merged.environment}] as const
  }))
}
