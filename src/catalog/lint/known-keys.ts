import type {Guesser} from '../../text/edit-distance.js'
import {AppDefinition, Service} from '../definition.js'
import type {UnknownKey} from '../unknown-keys.js'

/** Words that other formats use for a key of ours, at whatever place has that key. */
const aliases: Readonly<Record<string, string>> = {
  env: 'environment', environments: 'environment', envvars: 'environment', variables: 'environment', secrets: 'secretEnv', secretkeys: 'secretEnv',
  depends: 'dependsOn', requires: 'dependsOn', health: 'healthcheck', port: 'exposedPort', publicport: 'exposedPort', expose: 'exposed', public: 'exposed',
  args: 'commandArgv', cmd: 'commandArgv', argv: 'commandArgv', entrypoint: 'entrypointArgv', gracetime: 'stopGracePeriod', mounts: 'volumes',
  title: 'name', icon: 'logo', summary: 'description', website: 'repository', homepage: 'repository', minversion: 'minEngine', version: 'schemaVersion', type: 'kind', choices: 'options',
  fields: 'configFields', config: 'configFields', value: 'default', regex: 'pattern', regexp: 'pattern', masked: 'secret', environmentvariable: 'envKey', env_key: 'envKey',
  text: 'content', data: 'content', target: 'path', cpus: 'cpuCores', cpu: 'cpuCores', memory: 'memoryMb', ram: 'memoryMb',
}

export interface KeyAdvice {
  readonly key: string
  /** Only the writing differs: capitals, hyphens, underscores. */
  readonly isSameWord: boolean
}

/** The key that was most likely meant. */
export function findKnownKey({key, known}: UnknownKey, guess: Guesser): KeyAdvice | undefined {
  const word = wordOf(key)
  const same = known.find((candidate) => wordOf(candidate) === word)
  if (same !== undefined) return {key: same, isSameWord: true}
  const alias = Object.hasOwn(aliases, word) ? aliases[word] : undefined
  if (alias !== undefined && known.includes(alias)) return {key: alias, isSameWord: false}
  const closest = guess(key, known)
  return closest === undefined ? undefined : {key: closest, isSameWord: false}
}

function wordOf(key: string): string {
  return key.toLowerCase().replace(/[_\-\s.]/g, '')
}

/** Where a key belongs that stands in the wrong place. */
export function findHome(key: string): string | undefined {
  if (Object.hasOwn(AppDefinition.shape, key)) return 'it belongs to the top of the definition'
  return Object.hasOwn(Service.shape, key) ? 'it belongs in a service' : undefined
}
