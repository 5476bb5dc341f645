import {option, string} from '@oclif/core/flags'
import type {Client} from '../client/client.js'
import type {EnvVar} from '../contract/env-var.js'
import {getProject} from './find-by-name.js'
import {getServiceOf} from './service-ref.js'

/** Of commands about variables. */
export const envFlags = {
  service: string({char: 's', description: 'of this service alone; of the whole project unless given', helpValue: 'SERVICE'}),
  environment: option({options: ['production', 'preview', 'development'] as const})({description: 'environment they belong to', default: 'production' as const}),
}

export interface EnvPlace {
  readonly projectId: string
  readonly serviceId: string | null
  /** As people call it. */
  readonly name: string
}

export async function getEnvPlace(api: Client, name: string, {service, signal}: {readonly service: string | undefined; readonly signal: AbortSignal}): Promise<EnvPlace> {
  if (service === undefined) {
    const project = await getProject(api, name, signal)
    return {projectId: project.id, serviceId: null, name: project.slug}
  }
  const found = await getServiceOf(api, `${name}/${service}`, signal)
  return {projectId: found.project.id, serviceId: found.service.id, name: `${found.project.slug}/${found.service.name}`}
}

type Environment = EnvVar['environment']

export async function readEnv(api: Client, {projectId, serviceId}: EnvPlace, {environment, signal}: {readonly environment: Environment; readonly signal: AbortSignal}): Promise<EnvVar[]> {
  if (serviceId === null) return (await api.projects.env({params: {id: projectId}, query: {environment}}, {signal})).data
  return (await api.services.env({params: {id: projectId, serviceId}, query: {environment}}, {signal})).vars
}

export interface EnvEdit {
  readonly environment: Environment
  readonly upserts: readonly {readonly key: string; readonly value: string; readonly isSecret?: boolean}[]
  readonly deletes: readonly string[]
  readonly signal: AbortSignal
}

/** Sets and takes away the named variables and no others. */
export async function changeEnv(api: Client, place: EnvPlace, {environment, upserts, deletes, signal}: EnvEdit): Promise<void> {
  const {projectId, serviceId} = place
  if (serviceId === null) {
    await api.projects.changeEnv({params: {id: projectId}, body: {environment, upserts: [...upserts], deletes: [...deletes]}}, {signal})
    return
  }
  // The route replaces all of a service: what stays is sent back as it was shown, secrets as the mask that keeps them.
  const present = await readEnv(api, place, {environment, signal})
  const named = new Set([...deletes, ...upserts.map(({key}) => key)])
  const kept = present.filter(({key}) => !named.has(key)).map(({key, value, isSecret}) => ({key, value, isSecret}))
  await api.services.setEnv({params: {id: projectId, serviceId}, body: {environment, vars: [...kept, ...upserts]}}, {signal})
}
