import type {DraftEntry, DraftService, Parts} from './draft-service.js'
import type {ImportContext} from './import-context.js'
import {resolveParts} from './interpolation.js'
import {literalText, wholeReference} from './variable-uses.js'

/** Ties services together by the names that they have in a definition: other names of containers are gone, and defaults that only say where a service is are no choice. */
export function tieServices(services: readonly DraftService[], context: ImportContext): DraftService[] {
  const names = services.map(({name}) => name)
  const aliases = new Map(services.flatMap(({name, aliases: others}) => others.filter((alias) => !names.includes(alias)).map((alias) => [alias, name] as const)))
  return services.map((service) => {
    const rename = (text: string) => renameHosts(text, aliases, (alias, name) => {
      context.notes.add({level: 'changed', service: service.name, key: 'environment', why: `${alias} is another name of ${name}, which is reached as ${name}`, todo: 'nothing'})
    })
    return {...service, environment: service.environment.map((entry) => tieEntry(entry, names, rename, context))}
  })
}

function tieEntry({key, parts}: DraftEntry, names: readonly string[], rename: (text: string) => string, {variables}: ImportContext): DraftEntry {
  const renamed: Parts = parts.map((part) => (typeof part === 'string' ? rename(part) : part))
  const reference = wholeReference(renamed)
  if (reference === undefined || !reference.operator.endsWith('-')) return {key, parts: renamed}
  // A default with further references keeps them: its secrets are bound as such.
  const preset = literalText(reference.argument) === undefined ? reference.argument : [rename(resolveParts(reference.argument, variables).text)]
  const isWiring = variables.get(reference.name) === undefined && names.some((name) => isHostIn(preset, name))
  return {key, parts: isWiring ? preset : renamed}
}

const hostIn = (name: string) => new RegExp(`(^|[/@,=])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?=$|[:/,?])`, 'g')

function isHostIn(parts: Parts, name: string): boolean {
  return parts.some((part) => typeof part === 'string' && hostIn(name).test(part))
}

function renameHosts(text: string, aliases: ReadonlyMap<string, string>, see: (alias: string, name: string) => void): string {
  let renamed = text
  for (const [alias, name] of aliases) {
    const next = renamed.replace(hostIn(alias), `$1${name}`)
    if (next !== renamed) see(alias, name)
    renamed = next
  }
  return renamed
}
