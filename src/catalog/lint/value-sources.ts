import type {LintContext} from './lint-context.js'

export interface ValueSource {
  isSecret: boolean
}

/** Where the environment of each service gets its values: service, then key. What only the image sets is not known here. */
export type ValueSources = ReadonlyMap<string, ReadonlyMap<string, ValueSource>>

/** What each container is given by its environment, config fields, settings and prepare steps. */
export function findValueSources({services, configFields, settingFields, definition}: Pick<LintContext, 'services' | 'configFields' | 'settingFields' | 'definition'>): ValueSources {
  const sources = new Map<string, Map<string, ValueSource>>()
  const add = (service: string, key: string, isSecret: boolean): void => {
    const keys = sources.get(service) ?? new Map<string, ValueSource>()
    sources.set(service, keys)
    keys.set(key, {isSecret: isSecret || keys.get(key)?.isSecret === true})
  }
  for (const {item} of services) {
    for (const key of Object.keys(item.environment ?? {})) add(item.name, key, item.secretEnv?.includes(key) === true)
  }
  for (const {item} of configFields) add(item.service, item.key, item.secret === true)
  for (const {item} of settingFields) add(item.service, item.key, item.secret === true)
  for (const {service, persistAs} of definition.prepare ?? []) if (persistAs !== undefined) add(service, persistAs.key, persistAs.secret === true)
  // A key that is only listed as a secret has no value, so it is no source; it makes one secret.
  for (const {item} of services) for (const key of item.secretEnv ?? []) if (sources.get(item.name)?.has(key) === true) add(item.name, key, true)
  return sources
}

/** What has to be there for a missing value to be missing. */
export const sourceParts = ['services.*.name', 'services.*.environment', 'configFields', 'settings', 'prepare'] as const
