import type {ContainerFacts, Engine} from '../../servers/engine/engine.js'
import {isLinkLabels} from '../connections/link-networks.js'
import {dataFolderName} from '../deployments/release-folders.js'
import type {ProjectTraces} from './project-traces.js'

export interface RemovedTraces {
  readonly removed: number
  /** What could not be taken away, each with why. */
  readonly left: readonly string[]
}

const graceSeconds = 10

/** Takes away what there is of a project on a server: containers, then what they used. Volumes, and what services keep in the folder of the project, only where asked. */
export async function removeTraces({engine, containers, networks, volumes, imageTags, folder}: ProjectTraces, {wipeVolumes, signal}: {readonly wipeVolumes: boolean; readonly signal: AbortSignal}): Promise<RemovedTraces> {
  const left: string[] = []
  let removed = 0
  const attempt = async (subject: string, work: () => Promise<void>) => {
    try {
      await work()
      removed += 1
    } catch (error) {
      left.push(`${subject}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  await Promise.all(containers.map((container) => attempt(`container ${container.name}`, () => removeContainer(engine, container, signal))))
  await Promise.all(networks.map(({id, name, labels}) => attempt(`network ${name}`, () => engine.removeNetwork(id, {signal, force: isLinkLabels(labels)}))))
  if (wipeVolumes) await Promise.all(volumes.map(({name}) => attempt(`volume ${name}`, () => engine.removeVolume(name, {signal}))))
  await Promise.all(imageTags.map((tag) => attempt(`image ${tag}`, () => engine.removeImage(tag, {signal}))))
  if (folder !== null) await attempt(`folder ${folder}`, () => engine.removeFolder(folder, {signal, keep: wipeVolumes ? undefined : dataFolderName}))
  return {removed, left}
}

/** Stops a container and takes it away; one that can not be stopped is removed all the same. */
export async function removeContainer(engine: Engine, {id, state}: Pick<ContainerFacts, 'id' | 'state'>, signal: AbortSignal): Promise<void> {
  if (state !== 'exited') await engine.stop(id, {signal, graceSeconds}).catch(() => signal.throwIfAborted())
  await engine.remove(id, {signal})
}
