import type {AppDefinition, ConfigField, Endpoint, Localized, SettingField} from '../catalog/definition.js'
import {endpointsOf} from '../catalog/endpoints.js'
import {pickText} from '../catalog/pick-text.js'
import {sizeText} from './app-text.js'
import type {Paint} from './colour.js'
import {displayWidth, toPrintable} from './display-width.js'

/** A definition, with what a catalog knows of it besides. */
export interface ShownApp extends AppDefinition {
  readonly custom?: boolean | undefined
  readonly requiresUpdate?: {readonly minVersion?: string | undefined} | undefined
  readonly updateAvailable?: true | undefined
}

export interface CardOptions {
  readonly paint: Paint
  readonly locale: string
  /** First heading of its article; undefined where there is none. */
  readonly articleTitle: string | undefined
}

type Row = readonly [name: string, text: string]

/** What people see of an app before they install it. Whatever it was written with, it can not draw on the terminal. */
export function appCardLines(app: ShownApp, options: CardOptions): string[] {
  const {paint} = options
  const text = (localized: Localized | undefined) => pickText(localized, options.locale)
  const section = (heading: string, rows: readonly Row[]) => (rows.length === 0 ? [] : ['', paint('heading', heading), ...rowLines(rows)])
  return [
    `${paint('heading', toPrintable(app.name))} (${toPrintable(app.id)})`,
    toPrintable(app.description),
    '',
    ...rowLines(factRows(app, options.articleTitle)),
    ...section('services', (app.services ?? []).map(({name, image}) => [name, image ?? 'built here'])),
    ...section('asked at the install', [...askedFields(app).map(fieldRow), ...settingsOf(app).filter(({installStep}) => installStep === true).map(settingRow)]),
    ...section('can be set later', settingsOf(app).filter(({installStep}) => installStep !== true).map(settingRow)),
    ...section('generated', (app.configFields ?? []).filter(({generate}) => generate !== undefined).map(({label, service, key}) => [label, `${key} of ${service}`])),
    ...section('how it is reached', endpointsOf(app).map(endpointRow)),
    ...section(app.connection?.title ?? 'what you get', connectionRows(app, text)),
    ...section('needs from other projects', (app.requires ?? []).map(({label, envKey, category, optional}) => [text(label), joined([envKey, category, optional === true ? 'optional' : undefined])])),
    ...section('gives to other projects', (app.provides ?? []).map(({id, outputRefs}) => [id, outputRefs.join(', ')])),
    ...section('what it does well', (app.marketplace?.features ?? []).map(({title, description = ''}) => [title, description])),
  ]
}

function factRows(app: ShownApp, articleTitle: string | undefined): Row[] {
  const {category, tags = [], repository, minResources, minEngine} = app
  const rows: (readonly [string, string | undefined])[] = [
    ['category', category],
    ['tags', joined(tags)],
    ['trust', trustOf(app)],
    ['state', stateOf(app)],
    ['source', repository],
    ['host should have', sizeText(minResources ?? {}) ?? undefined],
    ['runs on', minEngine === undefined ? undefined : `Moorage ${minEngine} and newer`],
    ['article', articleTitle === undefined ? undefined : `${articleTitle} (--article shows it)`],
  ]
  return rows.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const]))
}

function trustOf({verified, custom, hosting}: ShownApp): string {
  const images = verified === true ? 'verified: its images come from the project itself' : 'not verified'
  return joined([images, custom === true ? 'uploaded by this organization' : undefined, hosting === 'experimental' ? 'experimental' : undefined])
}

function stateOf({available, unlisted, requiresUpdate, updateAvailable}: ShownApp): string {
  return joined([
    available === true || requiresUpdate !== undefined ? undefined : 'coming soon: it can not be installed yet',
    unlisted === true ? 'left out of the list' : undefined,
    requiresUpdate === undefined ? undefined : `needs Moorage ${requiresUpdate.minVersion ?? 'of a newer release'}`,
    updateAvailable === true ? 'a newer definition is there for newer releases' : undefined,
  ])
}

function settingsOf({settings = []}: AppDefinition): SettingField[] {
  return settings.flatMap(({fields}) => fields)
}

function askedFields({configFields = []}: AppDefinition): ConfigField[] {
  return configFields.filter(({generate}) => generate === undefined)
}

function fieldRow({label, type = 'text', required, secret, default: preset, help}: ConfigField): Row {
  return [label, described([secret === true ? 'secret' : type, required === true ? 'required' : undefined, presetText(preset, secret)], help)]
}

function settingRow({label, type, required, secret, default: preset, options = [], help}: SettingField): Row {
  const choices = options.length === 0 ? undefined : `one of ${options.map((option) => option.label).join(', ')}`
  return [label, described([secret === true ? 'secret' : type, required === true ? 'required' : undefined, presetText(preset, secret), choices], help)]
}

const presetText = (preset: string | undefined, secret: boolean | undefined) => (preset === undefined || preset === '' ? undefined : secret === true ? 'has a default' : `default ${preset}`)

function described(facts: readonly (string | undefined)[], help: string | undefined): string {
  return help === undefined ? joined(facts) : `${joined(facts)}. ${help}`
}

function endpointRow({service, port, kind, scope, defaultMode, allowedModes = [], label}: Endpoint): Row {
  const modes = [...new Set([...(defaultMode === undefined ? [] : [defaultMode]), ...allowedModes])]
  return [`${service}:${port}`, joined([kind, scope, modes.length === 0 ? undefined : `by ${modes.join(' or ')}`, label === service ? undefined : label])]
}

function connectionRows({connection}: AppDefinition, text: (localized: Localized | undefined) => string): Row[] {
  if (connection === undefined) return []
  const {username, password, note} = connection.firstLogin ?? {}
  const outputs = connection.outputs.map(({label, source, secret, envKey, variants = [], help}): Row => {
    const others = variants.length === 0 ? undefined : `also as ${variants.map((variant) => text(variant.label)).join(', ')}`
    return [label, described([source, secret === true ? 'secret' : undefined, envKey, others], help)]
  })
  const login: Row[] = [['first user', text(username)], ['first password', text(password)], ['first login', text(note)]]
  return [...outputs, ...login.filter(([, value]) => value !== '')]
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(', ')
}

const widestName = 28

function rowLines(rows: readonly Row[]): string[] {
  const printable = rows.map(([name, text]) => [toPrintable(name), toPrintable(text)] as const)
  const width = Math.min(widestName, Math.max(...printable.map(([name]) => displayWidth(name)), 0))
  return printable.map(([name, text]) => `  ${name}${' '.repeat(Math.max(0, width - displayWidth(name)))}  ${text}`.trimEnd())
}

/** The first heading of a text in Markdown, else its first line that says something. */
export function articleTitle(markdown: string): string | undefined {
  const lines = markdown.split(/\r?\n/).map((line) => line.trim())
  const heading = lines.map((line) => /^#{1,6}\s+(.+?)\s*#*$/.exec(line)?.[1]).find((title) => title !== undefined)
  return heading ?? lines.find((line) => /[\p{L}\p{N}]/u.test(line))
}
