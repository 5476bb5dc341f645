import {filesOf, type AppDefinition} from './definition.js'
import {findPlaceholders} from './placeholders.js'

/** The texts of a service that are written once, at the install, with the values of {{config:KEY}} in them. */
export function inlinedTexts(definition: AppDefinition): {readonly service: string; readonly text: string}[] {
  const own = (definition.services ?? []).flatMap(({name, environment = {}, build}) =>
    [...Object.values(environment), build?.dockerfile ?? '', ...(build?.files ?? []).map(({content}) => content)].map((text) => ({service: name, text})),
  )
  return [...own, ...filesOf(definition).map(({service, content}) => ({service, text: content}))]
}

/** The services that hold a copy of each key: {{config:KEY}} is in one of their texts. */
export function configReferences(definition: AppDefinition): ReadonlyMap<string, ReadonlySet<string>> {
  const references = new Map<string, Set<string>>()
  for (const {service, text} of inlinedTexts(definition)) {
    for (const placeholder of findPlaceholders(text)) {
      if (placeholder.kind !== 'config') continue
      const services = references.get(placeholder.key) ?? new Set()
      references.set(placeholder.key, services.add(service))
    }
  }
  return references
}
