import type {AppDefinition, Connection, ConnectionOutput} from './definition.js'
import {parseOutputSource} from './output-source.js'
import {splitPlaceholders, type Placeholder} from './placeholders.js'
import {knownHost, type PublicUrls} from './public-urls.js'
import {resolvePublicUrls} from './resolve-public-urls.js'

type Variant = NonNullable<ConnectionOutput['variants']>[number]

export interface ResolvedVariant extends Omit<Variant, 'source'> {
  readonly value: string
}

/** An output with its value; empty while a part of it is not known. */
export interface ResolvedOutput extends Omit<ConnectionOutput, 'source' | 'variants' | 'service' | 'secret'> {
  readonly secret: boolean
  readonly service: string | null
  readonly value: string
  readonly variants?: readonly ResolvedVariant[]
  /** What to know before using the value. */
  readonly note?: string
}

export interface ResolvedConnection extends Omit<Connection, 'outputs' | 'firstLogin'> {
  readonly outputs: readonly ResolvedOutput[]
}

export interface ConnectionSources {
  /** The environment of each service before public addresses are put in. */
  readonly environments: ReadonlyMap<string, Readonly<Record<string, string>>>
  readonly urls: PublicUrls
  readonly host?: string | undefined
  /** Stands for the host where that has no address that others use. */
  readonly ownHost?: string | undefined
  /** All that is published is open to the host itself only. */
  readonly isLoopbackOnly?: boolean
}

export const loopbackNote = 'the port is published on 127.0.0.1: this address answers on the host itself or through a tunnel'

/** The connection card of an app; null where it has none. */
export function resolveConnection(definition: AppDefinition, sources: ConnectionSources): ResolvedConnection | null {
  if (definition.connection === undefined) return null
  const {outputs, firstLogin: _, ...card} = definition.connection
  return {...card, outputs: outputs.map((output) => resolveOutput(output, definition, sources))}
}

function resolveOutput({source, service, secret = false, variants, ...output}: ConnectionOutput, definition: AppDefinition, sources: ConnectionSources): ResolvedOutput {
  const read = (text: string): Value => readSource(text, definition, sources)
  const main = read(source)
  const others = variants?.map(({source: other, ...variant}) => ({...variant, ...read(other)}))
  const isLoopbackBound = main.isLoopbackBound || others?.some((other) => other.isLoopbackBound) === true
  return {
    ...output,
    secret,
    service: service ?? serviceOf(source),
    value: main.value,
    ...(others !== undefined && {variants: others.map(({isLoopbackBound: _, ...variant}) => variant)}),
    ...(isLoopbackBound && {note: loopbackNote}),
  }
}

function serviceOf(source: string): string | null {
  const parsed = parseOutputSource(source)
  return parsed === undefined || parsed.kind === 'template' ? null : parsed.service
}

interface Value {
  readonly value: string
  readonly isLoopbackBound: boolean
}

const nothing: Value = {value: '', isLoopbackBound: false}

function readSource(source: string, definition: AppDefinition, sources: ConnectionSources): Value {
  const parsed = parseOutputSource(source)
  if (parsed === undefined) return nothing
  if (parsed.kind === 'env') return readEnvironment(parsed, sources)
  if (parsed.kind === 'publicUrl') return readUrl(parsed, sources)
  return joinParts(parsed.text, (placeholder) => readPlaceholder(placeholder, definition, sources))
}

// Every part or nothing: half an address is worse than none.
function joinParts(text: string, read: (placeholder: Placeholder) => Value): Value {
  let [value, isLoopbackBound] = ['', false]
  for (const part of splitPlaceholders(text)) {
    if (part.kind === 'malformed' || part.kind === 'foreign') return nothing
    const piece = part.kind === 'text' ? {value: part.text, isLoopbackBound: false} : read(part)
    if (piece.value === '') return nothing
    value += piece.value
    isLoopbackBound ||= piece.isLoopbackBound
  }
  return {value, isLoopbackBound}
}

function readPlaceholder(placeholder: Placeholder, definition: AppDefinition, sources: ConnectionSources): Value {
  switch (placeholder.kind) {
    case 'env':
      return readEnvironment(placeholder, sources)
    case 'publicUrl':
      return readUrl(placeholder, sources)
    case 'host':
      return {value: knownHost(sources.host) ?? sources.ownHost ?? '', isLoopbackBound: sources.isLoopbackOnly === true}
    case 'config': {
      const field = definition.configFields?.findLast(({key}) => key === placeholder.key)
      return field === undefined ? nothing : readEnvironment(field, sources)
    }
  }
}

function readUrl({service, port}: {readonly service: string; readonly port: number | undefined}, {urls}: ConnectionSources): Value {
  const found = urls.find(service, port)
  return found === undefined ? nothing : {value: found.url, isLoopbackBound: found.isLoopbackBound}
}

function readEnvironment({service, key}: {readonly service: string; readonly key: string}, {environments, urls}: ConnectionSources): Value {
  const environment = environments.get(service) ?? {}
  const {text, unresolved, loopbackBound} = resolvePublicUrls((Object.hasOwn(environment, key) ? environment[key] : undefined) ?? '', urls)
  // No literal placeholder leaves, whoever wrote it.
  if (unresolved.length > 0 || /\{\{[\s\S]*\}\}/.test(text)) return nothing
  return {value: text, isLoopbackBound: loopbackBound.length > 0}
}
