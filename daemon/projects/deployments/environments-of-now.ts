import {layerEnvironment} from '../../../src/catalog/layer-environment.js'
import type {Sealer} from '../../store/secrets.js'
import type {StoreReader} from '../../store/store.js'
import {openEnv} from '../env-book.js'
import {projectUrls} from '../public-urls.js'
import type {EnvRecord, ProjectRecord, ServiceRecord} from '../records.js'
import {dressEnvironment} from './dress-service.js'
import {inlineEnvironments} from './kept-texts.js'
import {findOpenRelease, type ReleaseTexts} from './release-book.js'

export interface EnvironmentsOf {
  readonly project: ProjectRecord
  readonly services: readonly ServiceRecord[]
  readonly environment: EnvRecord['environment']
  /** What they were described in; that of the release that is served unless given. */
  readonly texts?: ReleaseTexts | undefined
}

/** The environments that containers of services would be made with now, in plain text, by the id of the service. */
export async function environmentsOfNow({store, sealer}: {readonly store: StoreReader; readonly sealer: Sealer}, {project, services, environment, texts}: EnvironmentsOf): Promise<ReadonlyMap<string, Record<string, string>>> {
  const scope = {organizationId: project.organizationId, projectId: project.id, environment}
  const variables = await openEnv(store, sealer, {...scope, serviceId: null})
  const described = texts ?? (await findOpenRelease(store, sealer, project.activeDeploymentId))?.texts ?? {}
  const inline = await inlineEnvironments(sealer, services, {project, texts: described, variables})
  const urls = project.isApp ? (await projectUrls(store, project)).urls : null
  const environments = await Promise.all(services.map(async ({id, name}) => {
    const own = await openEnv(store, sealer, {...scope, serviceId: id})
    const layered = layerEnvironment({project: variables, inline: inline.get(name) ?? {}, rows: own})
    const {environment: dressed} = urls === null ? layered : dressEnvironment({name, environment: layered.environment}, urls)
    return [id, {...dressed}] as const
  }))
  return new Map(environments)
}
