import {filesOf, type AppDefinition, type Service} from './definition.js'
import {replacePlaceholders} from './placeholders.js'
import {valuesByKey, type ResolvedValues, type ValueRow} from './resolve-values.js'

/** An environment entry that is kept apart from the texts of a service, and wins over them. */
export interface EnvironmentRow {
  readonly service: string
  readonly key: string
  readonly value: string
  readonly isSecret: boolean
}

/** A text with the values of config fields in it. */
export interface InlinedText {
  readonly text: string
  /** A secret is part of it. */
  readonly isSecret: boolean
}

export interface InlinedService {
  readonly name: string
  readonly environment: Readonly<Record<string, InlinedText>>
  readonly build: {readonly dockerfile: InlinedText; readonly files: readonly {readonly path: string; readonly content: InlinedText}[]} | null
}

/** {{config:KEY}} in a text where KEY came to no value. */
export interface UnknownConfig {
  readonly service: string
  readonly key: string
}

export interface InlinedApp {
  readonly services: readonly InlinedService[]
  readonly files: readonly {readonly service: string; readonly path: string; readonly content: InlinedText}[]
  /** What the environments hold besides: secrets taken out of them, then the values of config fields. */
  readonly rows: readonly EnvironmentRow[]
  readonly unknown: readonly UnknownConfig[]
}

/** The step of an install that writes values into texts, once. What is not known is written as nothing. */
export function inlineConfig(definition: AppDefinition, {rows}: Pick<ResolvedValues, 'rows'>): InlinedApp {
  const unknown = new Map<string, UnknownConfig>()
  const values = valuesByKey(rows)
  const inlineFor = (service: string) => (text: string): InlinedText => {
    let isSecret = false
    const inlined = replacePlaceholders(text, (placeholder) => {
      if (placeholder.kind !== 'config') return undefined
      const row = values.get(placeholder.key)
      if (row === undefined) unknown.set(`${service}\n${placeholder.key}`, {service, key: placeholder.key})
      isSecret ||= row?.isSecret === true
      return row?.value ?? ''
    })
    return {text: inlined, isSecret}
  }
  const services = (definition.services ?? []).map((service) => ({service, inline: inlineFor(service.name)}))
  const inlined = services.map(({service, inline}) => ({name: service.name, build: inlineBuild(service, inline), ...splitEnvironment(service, inline)}))
  const files = filesOf(definition).map(({service, path, content}) => ({service, path, content: inlineFor(service)(content)}))
  return {
    services: inlined.map(({name, build, environment}) => ({name, build, environment})),
    files,
    rows: [...inlined.flatMap(({secrets}) => secrets), ...rows.filter(({value}) => value !== '').map(toEnvironmentRow)],
    unknown: [...unknown.values()],
  }
}

type Inline = (text: string) => InlinedText

function splitEnvironment(service: Service, inline: Inline): {environment: Record<string, InlinedText>; secrets: EnvironmentRow[]} {
  const isSecret = (key: string): boolean => service.secretEnv?.includes(key) === true
  const entries = Object.entries(service.environment ?? {}).map(([key, text]) => [key, inline(text)] as const)
  return {
    environment: Object.fromEntries(entries.filter(([key]) => !isSecret(key))),
    secrets: entries
      .filter(([key, {text}]) => isSecret(key) && text !== '')
      .map(([key, {text}]) => ({service: service.name, key, value: text, isSecret: true})),
  }
}

function inlineBuild({build}: Service, inline: Inline): InlinedService['build'] {
  if (build === undefined) return null
  return {dockerfile: inline(build.dockerfile), files: (build.files ?? []).map(({path, content}) => ({path, content: inline(content)}))}
}

function toEnvironmentRow({service, key, value, isSecret}: ValueRow): EnvironmentRow {
  return {service, key, value, isSecret}
}
