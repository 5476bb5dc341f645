import {randomBytes} from 'node:crypto'
import {posix} from 'node:path'
import {layOutBuilds} from '../../src/catalog/build-context.js'
import type {AppDefinition} from '../../src/catalog/definition.js'
import {inlineConfig, type InlinedApp} from '../../src/catalog/inline-config.js'
import {describeKept} from '../../src/catalog/render-app.js'
import {backfillValues, resolveValues, type KeptValue, type StoredValue} from '../../src/catalog/resolve-values.js'
import {Fault} from '../../src/contract/faults.js'
import {toInstant, type Clock} from '../clock.js'
import {definitionOf} from '../projects/app-definition.js'
import {readStoredValues, writeAppEnv, type AppProject} from '../projects/app-projects.js'
import type {ReadAppContent} from '../projects/deployments/app-content.js'
import type {Sealer} from '../store/secrets.js'
import type {Store} from '../store/store.js'

export interface AppContentParts {
  readonly store: Store
  readonly clock: Clock
  readonly sealer: Sealer
}

/** What a deployment takes from the definition of an installed app. Generated values that are missing are made first, as far as that breaks nothing. */
export function createReadAppContent(parts: AppContentParts): ReadAppContent {
  return async (project) => {
    const definition = definitionOf(project)
    if (definition === undefined) return null
    const {stored, kept} = await completeValues(parts, project, definition)
    const madeServices = (definition.services ?? []).map(({name}) => name)
    const values = resolveValues(definition, {config: {}, stored, madeServices, random: randomBytes, nowMs: parts.clock.now()})
    const inlined = inlineConfig(definition, values)
    refuseOutside(inlined)
    const builds = layOutBuilds(inlined.services)
    return {
      files: inlined.files.map(({service, path, content}) => ({service, path: posix.normalize(path), content: content.text, isSecret: content.isSecret})),
      buildFiles: Object.fromEntries([...builds.values()].flatMap(({files}) => files.map(({path, content}) => [path, content]))),
      buildArguments: Object.fromEntries([...builds].map(([name, build]) => [name, build.arguments])),
      warnings: describeKept(kept).map(({message}) => message),
    }
  }
}

async function completeValues({store, clock, sealer}: AppContentParts, project: AppProject, definition: AppDefinition): Promise<{stored: readonly StoredValue[]; kept: readonly KeptValue[]}> {
  return store.transaction(async (transaction) => {
    const stored = await readStoredValues(transaction, sealer, project)
    const {writes, kept} = backfillValues(definition, {stored, random: randomBytes, nowMs: clock.now()})
    if (writes.length === 0) return {stored, kept}
    await writeAppEnv(transaction, sealer, {project, rows: writes, now: toInstant(clock.now())})
    return {stored: [...stored, ...writes], kept}
  })
}

function refuseOutside({files}: InlinedApp): void {
  for (const {service, path} of files) {
    if (path.startsWith('/') && !path.split('/').includes('..') && posix.basename(path) !== '') continue
    throw new Fault('DEFINITION_INVALID', `the file ${path} of service ${service} has no place in a container: write its path from /, without ..`)
  }
}
