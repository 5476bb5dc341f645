import type {ServiceOutcome} from '../../../src/contract/deployments.js'

export interface RoutableService {
  readonly serviceId: string
  /** Folder of the source that its image is built from; null where it is not built. */
  readonly context: string | null
}

export interface RouteWish {
  readonly forceAll: boolean
  readonly targetServiceIds: readonly string[] | null
  readonly smartRoute: boolean
}

export interface RouteFacts {
  readonly services: readonly RoutableService[]
  /** Files that differ from the release that is served; null where that can not be told. */
  readonly changedPaths: readonly string[] | null
  readonly commitMessage: string | null
  /** Folder of the Compose file within the source. */
  readonly composeFolder: string
  /** Prefixes that every service depends on. */
  readonly sharedPaths: readonly string[]
}

export interface ServiceChoice {
  /** Null is all of them. */
  readonly only: ReadonlySet<string> | null
  readonly reason: Extract<ServiceOutcome['reason'], 'changed' | 'forced' | 'config-touched' | 'shared-touched' | 'manual'>
  /** They are built and made anew even where nothing of them differs. */
  readonly isForced: boolean
}

const everything: ServiceChoice = {only: null, reason: 'changed', isForced: false}
const forceWords = /\[(?:force|force-deploy|redeploy-all)\]/i
const rootFiles = new Set(['Dockerfile', 'docker-compose.yml', 'docker-compose.yaml', 'compose.yml', 'compose.yaml', '.dockerignore', 'package.json'])
const composeFile = /^(?:docker-)?compose(?:\.override)?\.ya?ml$/

/** Which services a deployment is about. Where it can not be told which ones changed, or none did, all are: a person asked for something to happen. */
export function chooseServices({forceAll, targetServiceIds, smartRoute}: RouteWish, facts: RouteFacts): ServiceChoice {
  if (targetServiceIds !== null) return {only: new Set(targetServiceIds), reason: 'manual', isForced: true}
  if (forceAll) return {only: null, reason: 'forced', isForced: true}
  const {changedPaths, commitMessage} = facts
  if (!smartRoute) return everything
  if (commitMessage !== null && forceWords.test(commitMessage)) return {only: null, reason: 'forced', isForced: true}
  if (changedPaths === null || changedPaths.length === 0) return everything
  if (changedPaths.some((path) => rootFiles.has(path))) return {only: null, reason: 'config-touched', isForced: false}
  if (changedPaths.some((path) => facts.sharedPaths.some((shared) => isBelow(path, shared.replace(/\*+$/, ''))))) return {only: null, reason: 'shared-touched', isForced: false}
  const touched = facts.services.filter((service) => isTouched(service, facts, changedPaths)).map(({serviceId}) => serviceId)
  return touched.length === 0 ? everything : {only: new Set(touched), reason: 'changed', isForced: false}
}

function isTouched({context}: RoutableService, {composeFolder}: RouteFacts, changedPaths: readonly string[]): boolean {
  return changedPaths.some((path) => (context !== null && isBelow(path, context)) || isComposeFile(path, composeFolder))
}

function isComposeFile(path: string, folder: string): boolean {
  const trimmed = trim(folder)
  const name = trimmed === '' ? path : isBelow(path, trimmed) ? path.slice(trimmed.length + 1) : '/'
  return composeFile.test(name)
}

function isBelow(path: string, folder: string): boolean {
  const prefix = trim(folder)
  return prefix === '' || path === prefix || path.startsWith(`${prefix}/`)
}

function trim(folder: string): string {
  return folder.replace(/^(?:\.?\/)+|\/+$|^\.$/g, '')
}
