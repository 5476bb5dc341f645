import type {ComposeService} from './compose-services.js'
import {fieldsOf, isFields, listOf, scalarText} from './compose-value.js'
import {plainText, type ImportContext} from './import-context.js'
import {insideFolder} from './project-folder.js'

export interface DraftFile {
  /** In the container. */
  readonly path: string
  readonly content: string
}

export interface ServiceVolumes {
  readonly volumes: readonly string[]
  readonly files: readonly DraftFile[]
}

interface Mount {
  readonly service: string
  readonly source: string
  readonly target: string
  readonly readOnly: boolean
}

/** Volumes stay volumes; files beside the Compose file are carried as files; what else comes from the host becomes a volume or is told. */
export function readVolumes({name, fields}: ComposeService, context: ImportContext): ServiceVolumes {
  const all = listOf(fields['volumes']).map((entry) => readMount(entry, name, context))
  const mounts = all.filter((mount) => mount !== undefined)
  if (fields['tmpfs'] !== undefined) {
    context.notes.add({level: 'lost', service: name, key: 'tmpfs', why: 'the format has no file systems in memory', todo: 'nothing, in most cases: the path is in the container'})
  }
  const read = mounts.map((mount) => carryMount(mount, context))
  return {volumes: [...new Set(read.flatMap(({volumes}) => volumes))], files: read.flatMap(({files}) => files)}
}

function readMount(entry: unknown, service: string, context: ImportContext): Mount | undefined {
  const place = {service, key: 'volumes'}
  const text = (value: unknown) => plainText(value, place, context)
  if (isFields(entry)) {
    const [type, source, target] = [text(entry['type']) ?? 'volume', text(entry['source']) ?? '', text(entry['target']) ?? '']
    if (type === 'volume' || type === 'bind') return checked({service, source: type === 'bind' ? asPath(source) : source, target, readOnly: entry['read_only'] === true}, context)
    context.notes.add({level: 'lost', ...place, why: `a mount of type ${type} at ${target} has no place in a definition`, todo: 'nothing for tmpfs, in most cases'})
    return undefined
  }
  const short = text(entry)
  if (short === undefined || short === '') return undefined
  const parts = short.split(':')
  const [source, target, options = ''] = parts.length === 1 ? ['', parts[0] ?? ''] : parts
  return checked({service, source: source ?? '', target: target ?? '', readOnly: options.split(',').includes('ro')}, context)
}

const asPath = (source: string) => (/^[./~]/.test(source) ? source : `./${source}`)

function checked(mount: Mount, {notes}: ImportContext): Mount | undefined {
  if (mount.target.startsWith('/') && !mount.target.split('/').includes('..')) return mount
  notes.add({level: 'lost', service: mount.service, key: 'volumes', why: `${JSON.stringify(mount.target)} is no absolute path in the container`, todo: 'write NAME:/path'})
  return undefined
}

function carryMount(mount: Mount, context: ImportContext): ServiceVolumes {
  if (/^[./~]/.test(mount.source)) return carryBind(mount, context)
  return {volumes: [volumeText(mount.source === '' ? nameFor(mount) : mount.source.replace(/[^A-Za-z0-9_.-]+/g, '_'), mount)], files: []}
}

const volumeText = (name: string, {target, readOnly}: Mount) => `${name}:${target}${readOnly ? ':ro' : ''}`

function nameFor({service, target}: Mount): string {
  const last = target.split('/').filter((step) => step !== '').at(-1) ?? 'data'
  return `${service}_${last}`.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '')
}

const hostParts = /^\/(?:var\/run|run|sys|proc|dev|lib\/modules|etc|boot|usr|bin|root)(?:\/|$)/
const looksLikeFile = (path: string) => /\.[A-Za-z0-9]{1,10}$/.test(path.split('/').at(-1) ?? '')

function carryBind(mount: Mount, context: ImportContext): ServiceVolumes {
  const {service, source, target} = mount
  const inside = insideFolder(source)
  const lost = (why: string, todo: string) => {
    context.notes.add({level: 'lost', service, key: 'volumes', why: `${source}: ${why}`, todo})
    return {volumes: [], files: []}
  }
  if (inside === undefined) {
    if (/docker\.sock$/.test(source)) return lost('an app gets no access to the engine of the host', 'check that it runs without; if it does not, it can not be an app')
    if (/localtime$|timezone$/.test(source)) return lost('the clock of the host is not mounted', 'set TZ in the environment')
    if (hostParts.test(source) || looksLikeFile(target)) return lost('it lies outside of the folder of the Compose file', 'give its text in files, or make it a volume')
    return asVolume(mount, context, 'a folder of the host')
  }
  const entry = context.folder.read(inside)
  if (entry.kind === 'refused') return lost(entry.why, 'fetch or make it when the container starts, or build an image that holds it')
  if (entry.kind === 'text') return asFiles(mount, [{path: target, content: entry.text}], context)
  if (entry.kind === 'missing') return looksLikeFile(target) ? lost('there is no such file beside the Compose file', 'give its text in files') : asVolume(mount, context, 'a folder that is not there')
  const isData = !mount.readOnly && !/^\/etc\/|initdb|conf(?:ig)?(?:\.d)?$|provision|templates?$/.test(target)
  return isData || entry.files.length === 0 ? asVolume(mount, context, 'a folder beside the Compose file') : carryFolder(mount, {inside, files: entry.isCut ? null : entry.files}, context)
}

function carryFolder(mount: Mount, {inside, files}: {inside: string; files: readonly string[] | null}, context: ImportContext): ServiceVolumes {
  const read = (files ?? []).map((path) => ({path, entry: context.folder.read(inside === '' ? path : `${inside}/${path}`)}))
  const texts = read.flatMap(({path, entry}) => (entry.kind === 'text' ? [{path: `${mount.target.replace(/\/$/, '')}/${path}`, content: entry.text}] : []))
  if (files !== null && texts.length === files.length) return asFiles(mount, texts, context)
  const why = `${mount.source}: it holds too much, or what is no text`
  context.notes.add({level: 'lost', service: mount.service, key: 'volumes', why, todo: 'build an image that holds it'})
  return {volumes: [], files: []}
}

function asFiles(mount: Mount, files: readonly DraftFile[], {budget, notes}: ImportContext): ServiceVolumes {
  const {service, source, readOnly} = mount
  if (!budget.take(files.map(({content}) => content))) {
    notes.add({level: 'lost', service, key: 'volumes', why: `${source}: with it the definition would be too large`, todo: 'build an image that holds it'})
    return {volumes: [], files: []}
  }
  const why = `${source} is carried in files, ${readOnly ? 'as text' : 'which are mounted read-only'}`
  notes.add({level: readOnly ? 'changed' : 'check', service, key: 'volumes', why, todo: readOnly ? 'nothing' : 'check that the app does not write there'})
  return {volumes: [], files}
}

function asVolume(mount: Mount, {notes}: ImportContext, what: string): ServiceVolumes {
  const name = nameFor(mount)
  notes.add({level: 'changed', service: mount.service, key: 'volumes', why: `${mount.source}, ${what}, became the volume ${name}, empty at first`, todo: 'nothing, where the app fills it'})
  return {volumes: [volumeText(name, mount)], files: []}
}

/** Where a service mounts what the top of the file declares under `configs` or `secrets`. */
export function readGrants(entries: unknown, folderOf: string): {readonly source: string; readonly target: string}[] {
  return listOf(entries).flatMap((entry) => {
    const source = isFields(entry) ? scalarText(entry['source']) : scalarText(entry)
    if (source === undefined) return []
    const target = scalarText(fieldsOf(entry)['target']) ?? source
    return [{source, target: target.startsWith('/') ? target : `${folderOf}${target}`}]
  })
}
