import type {ComposeFile, ComposeService} from '../../../src/compose/compose-model.js'
import type {PublicUrls} from '../../../src/catalog/public-urls.js'
import {resolvePublicUrls, resolveUrlEnvironment} from '../../../src/catalog/resolve-public-urls.js'
import {environmentUrlWarnings, fileUrlWarnings} from '../../../src/catalog/url-warnings.js'
import type {AppContent} from './app-content.js'

export interface DressedService {
  readonly definition: ComposeService
  readonly warnings: readonly string[]
}

// Whoever a container runs as has to read them.
const mode = '0444'

/** Gives a service of an installed app its files, its build arguments and the public addresses of now. */
export function dressService(service: ComposeService, {files, buildArguments}: AppContent, urls: PublicUrls): DressedService {
  const {environment, warnings} = dressEnvironment(service, urls)
  const own = files.filter((file) => file.service === service.name).map((file) => ({file, resolved: resolvePublicUrls(file.content, urls)}))
  const mounted = own.map(({file, resolved}): ComposeFile => ({target: file.path, content: resolved.text, mode, isSecret: file.isSecret}))
  const all = [...(service.files ?? []).filter(({target}) => !mounted.some((file) => file.target === target)), ...mounted]
  return {
    definition: {...service, environment, build: withArguments({...service, environment}, buildArguments[service.name] ?? []), ...(all.length > 0 && {files: all})},
    warnings: [...warnings, ...own.flatMap(({file, resolved}) => fileUrlWarnings(file, resolved).map(({message}) => message))],
  }
}

/** The environment of a service with public addresses in it; what names none is left unset. */
export function dressEnvironment({name, environment}: Pick<ComposeService, 'name' | 'environment'>, urls: PublicUrls): Pick<ComposeService, 'environment'> & Pick<DressedService, 'warnings'> {
  const resolved = resolveUrlEnvironment(environment, urls)
  return {environment: resolved.environment, warnings: environmentUrlWarnings(name, resolved).map(({message}) => message)}
}

function withArguments({build, environment}: Pick<ComposeService, 'build' | 'environment'>, names: readonly string[]): ComposeService['build'] {
  if (build === null) return null
  const taken = names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]] as const]))
  return {...build, args: {...Object.fromEntries(taken), ...build.args}}
}
