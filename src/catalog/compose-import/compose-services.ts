import {parseComposeText} from './compose-text.js'
import {fieldsOf, isFields, namesOf, pairsOf, scalarText, type Fields} from './compose-value.js'
import type {ImportNotes} from './import-notes.js'
import {insideFolder, type ProjectFolder} from './project-folder.js'

/** One service of a Compose file, with all that it inherits. */
export interface ComposeService {
  readonly name: string
  readonly fields: Fields
}

export interface ServicesContext {
  readonly folder: ProjectFolder
  readonly notes: ImportNotes
  /** Profiles that are on: services of others are left out. */
  readonly profiles: readonly string[]
}

/** The services that Compose would start, in the order of the file. */
export function readServices(compose: Fields, context: ServicesContext): ComposeService[] {
  const all = fieldsOf(compose['services'])
  return Object.keys(all).flatMap((name) => {
    const fields = inherit({services: all, name, seen: []}, context)
    const profiles = namesOf(fields['profiles'])
    if (profiles.length === 0 || profiles.some((profile) => context.profiles.includes(profile))) return [{name, fields}]
    const why = `starts only with the profile ${profiles.join(' or ')}`
    context.notes.add({level: 'lost', service: name, key: 'profiles', why, todo: `to carry it over, give --profile ${profiles[0] ?? ''}`})
    return []
  })
}

interface Place {
  readonly services: Fields
  readonly name: string
  /** The way here, so that a circle ends. */
  readonly seen: readonly unknown[]
}

function inherit({services, name, seen}: Place, context: ServicesContext): Fields {
  const own = services[name]
  if (!isFields(own) || !('extends' in own)) return fieldsOf(own)
  const {extends: parent, ...rest} = own
  const wanted = isFields(parent) ? parent : {service: parent}
  const parentName = scalarText(wanted['service']) ?? ''
  const parentServices = 'file' in wanted ? readParents(scalarText(wanted['file']) ?? '', name, context) : services
  const base = parentServices?.[parentName]
  if (parentServices === undefined || base === undefined || seen.includes(base)) {
    const why = base !== undefined && seen.includes(base) ? 'it extends itself' : `there is no service ${parentName} to extend`
    context.notes.add({level: 'lost', service: name, key: 'extends', why, todo: 'write what it should inherit into the service'})
    return rest
  }
  return mergeService(inherit({services: parentServices, name: parentName, seen: [...seen, own, base]}, context), rest)
}

function readParents(file: string, service: string, {folder, notes}: ServicesContext): Fields | undefined {
  const path = insideFolder(file)
  const entry = path === undefined ? undefined : folder.read(path)
  if (path === undefined || entry?.kind !== 'text') return undefined
  if (path.includes('/')) notes.add({level: 'check', service, key: 'extends', why: `${file} lies in another folder, and its paths were read from this one`, todo: 'compare the files and builds'})
  return fieldsOf(parseComposeText(entry.text, file)['services'])
}

const replaced = new Set(['command', 'entrypoint', 'test'])
const paired = new Set(['environment', 'args', 'labels', 'extra_hosts'])

/** What a service says on top of what it inherits: maps and lists grow, the rest is replaced. */
function mergeService(base: Fields, own: Fields): Fields {
  const keys = [...new Set([...Object.keys(base), ...Object.keys(own)])]
  return Object.fromEntries(keys.map((key) => [key, mergeValue(key, base[key], own[key])]))
}

function mergeValue(key: string, base: unknown, own: unknown): unknown {
  if (own === undefined) return base
  if (base === undefined || replaced.has(key)) return own
  if (paired.has(key)) return Object.fromEntries([...pairsOf(base), ...pairsOf(own)])
  if (key === 'depends_on') return {...namedMap(base), ...namedMap(own)}
  if (isFields(base) && isFields(own)) return mergeService(base, own)
  if (Array.isArray(base) && Array.isArray(own)) return [...(base as unknown[]), ...(own as unknown[])]
  return own
}

function namedMap(value: unknown): Fields {
  return isFields(value) ? value : Object.fromEntries(namesOf(value).map((name) => [name, {}]))
}
