import {isComplete, type DefinitionView} from '../definition-view.js'
import type {AppDefinition, ConfigField, Service, SettingField} from '../definition.js'
import type {JsonPath} from '../json-tree.js'
import {createGuesser, type Guesser} from '../../text/edit-distance.js'
import {findParts, type PlacedPart} from './texts.js'
import {findValueSources, type ValueSources} from './value-sources.js'

export interface LintOptions {
  /** Name of the file without its folder; none for text from elsewhere. */
  readonly fileName?: string | undefined
  /** Version of the release that checks. */
  readonly engine?: string | undefined
  /** Whether an article is there, by what the definition calls it. Not asked where nobody can tell. */
  readonly hasArticle?: ((articleFile: string) => boolean) | undefined
}

/** A thing with its place in the definition. */
export interface Placed<T> {
  readonly item: T
  readonly path: JsonPath
}

/** A definition as rules look at it. */
export interface LintContext extends LintOptions {
  readonly definition: AppDefinition
  /** Whether it is worth looking for texts that nothing can store. */
  readonly mayHoldOddText: boolean
  readonly services: readonly Placed<Service>[]
  readonly configFields: readonly Placed<ConfigField>[]
  readonly settingFields: readonly Placed<SettingField>[]
  /** Every placeholder, and what looks like one. */
  readonly parts: readonly PlacedPart[]
  readonly sources: ValueSources
  readonly serviceNames: readonly string[]
  readonly findClosest: Guesser
  findService(name: string): Service | undefined
  /** Whether all parts that match are there to look at, so that what is not found is not there. `*` is any step. */
  isComplete(...patterns: string[]): boolean
}

export function createLintContext(view: DefinitionView, options: LintOptions & Pick<LintContext, 'mayHoldOddText'>): LintContext {
  const {definition} = view
  let parts: readonly PlacedPart[] | undefined
  let sources: ValueSources | undefined
  const services = place(definition.services, ['services'])
  const byName = new Map(services.map(({item}) => [item.name, item]))
  const lists = {
    definition,
    services,
    configFields: place(definition.configFields, ['configFields']),
    settingFields: place(definition.settings, ['settings']).flatMap(({item, path}) => place(item.fields, [...path, 'fields'])),
  }
  return {
    ...options,
    ...lists,
    get parts() {
      parts ??= findParts(definition)
      return parts
    },
    get sources() {
      sources ??= findValueSources(lists)
      return sources
    },
    findClosest: createGuesser(),
    serviceNames: services.map(({item}) => item.name),
    findService: (name) => byName.get(name),
    // Most definitions are whole, and every rule asks.
    isComplete: (...patterns) => view.dropped.length === 0 || isComplete(view, patterns.map((pattern) => pattern.split('.'))),
  }
}

/** The entries of a list with their places. */
export function place<T>(items: readonly T[] | undefined, path: JsonPath): Placed<T>[] {
  return (items ?? []).map((item, index) => ({item, path: [...path, index]}))
}
