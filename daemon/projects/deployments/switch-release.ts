import {toProjectName} from '../../../src/compose/release.js'
import type {Clock} from '../../clock.js'
import type {Engine, EngineFacts} from '../../servers/engine/engine.js'
import {makeLinkNetworks, rejoinConsumers} from '../connections/link-networks.js'
import type {ProjectRecord} from '../records.js'
import {DeploymentFailure, isDiskFull} from './deployment-failure.js'
import {HealthWatch, type HealthWatchParts} from './health-watch.js'
import {composeArgs, projectFolder, releaseFolder, servedFile} from './release-folders.js'
import type {OpenRelease} from './release-book.js'

export interface SwitchParts extends Pick<HealthWatchParts, 'onUp' | 'meter' | 'services' | 'settleMs'> {
  readonly engine: Engine
  readonly facts: EngineFacts
  readonly project: Pick<ProjectRecord, 'id' | 'slug'>
  readonly clock: Clock
  readonly release: OpenRelease
  readonly onLine: (line: string) => void
  /** Ends the wait, and Compose too. */
  readonly signal: AbortSignal
}

const longestStartMs = 15 * 60_000

/** Writes a release to the server, beside those that are there. Nothing is started or stopped. */
export async function writeRelease({engine, facts, project, release, signal}: Pick<SwitchParts, 'engine' | 'facts' | 'project' | 'release' | 'signal'>): Promise<void> {
  const folder = projectFolder(facts, project)
  for (const [path, {base64, mode}] of Object.entries(release.files)) {
    // Whoever a container runs as reads what is mounted into it; the folder of the project lets nobody else of the server in.
    const readableFrom = `${folder}/${path.split('/').slice(0, 2).join('/')}`
    await engine.writeFile(`${folder}/${path}`, Buffer.from(base64, 'base64'), {signal, mode, readableFrom})
  }
  // So that Compose typed by hand in that folder means this project.
  await engine.writeFile(`${folder}/.env`, `COMPOSE_PROJECT_NAME=${toProjectName(project.slug)}\n`, {signal})
  await engine.writeFile(`${releaseFolder(facts, project, release.id)}/compose.yml`, release.composeText, {signal})
}

/** Makes the containers of a project those of a release and waits until they are up. The one place where a release takes the place of another. */
export async function switchRelease(parts: SwitchParts): Promise<void> {
  const {engine, facts, project, release, clock, signal} = parts
  await Promise.all([settleTags(parts), makeLinkNetworks(release.model.networks, parts), engine.writeFile(servedFile(facts, project), release.composeText, {signal})])
  const deadline = new AbortController()
  const stopClock = clock.after(longestStartMs, () => deadline.abort(new DeploymentFailure('start', `services were not up after ${longestStartMs / 60_000} minutes`)))
  const compose = new AbortController()
  const watch = new HealthWatch({...parts, projectId: project.id, signal: AbortSignal.any([signal, deadline.signal])})
  const up = composeUp(parts, AbortSignal.any([signal, deadline.signal, compose.signal])).then(async () => {
    // Whoever uses it finds it again; that fails nothing here.
    await rejoinConsumers(project, parts).catch((error: unknown) => {
      signal.throwIfAborted()
      parts.onLine(`projects that use this one may not reach it: ${error instanceof Error ? error.message : String(error)}`)
    })
    watch.started()
  })
  try {
    // A container that fails ends the wait although Compose still waits for its health.
    await Promise.all([up, watch.untilUp()])
  } catch (error) {
    if (!(error instanceof DeploymentFailure) || error.service !== undefined || error.reason !== 'start') throw error
    throw (await watch.findFailed()) ?? error
  } finally {
    stopClock()
    compose.abort(new Error('the switch has come to an end'))
    await Promise.allSettled([up, watch.close()])
  }
}

async function composeUp({engine, facts, project, onLine}: SwitchParts, signal: AbortSignal): Promise<void> {
  const said: string[] = []
  const {exitCode} = await engine.compose(composeArgs(project, 'up', '-d', '--no-build', '--remove-orphans'), {
    cwd: projectFolder(facts, project), signal,
    onLine(line) {
      onLine(line)
      if (line.trim() !== '') said.push(line.trim())
      if (said.length > 20) said.shift()
    },
  })
  if (exitCode === 0) return
  throw toUpFailure(said, exitCode)
}

function toUpFailure(said: readonly string[], exitCode: number | null): DeploymentFailure {
  // The last line of Compose only says that there were lines before it.
  const why = said.findLast((line) => !/^encountered errors/i.test(line) && /error|cannot|can't|failed|unhealthy|no such|denied/i.test(line)) ?? said.at(-1) ?? `Compose ended with ${exitCode ?? 'a signal'}`
  if (/port is already allocated|address already in use/i.test(why)) return new DeploymentFailure('ports', `a port of the server was taken while the services started: ${why}`, {code: 'PORT_IN_USE'})
  return new DeploymentFailure(isDiskFull(why) ? 'disk' : 'start', `the services could not be started: ${why}`)
}

// A pull may have moved what a reference names; a service that keeps its image must find that one under it.
async function settleTags({engine, release, signal}: SwitchParts): Promise<void> {
  for (const {image, serviceId} of release.model.services) {
    const kept = release.services.find((service) => service.serviceId === serviceId)
    if (kept === undefined || image === kept.keptTag || image.includes('@')) continue
    const there = await engine.image(image, {signal})
    if (there?.id !== kept.imageId) await engine.tag(kept.keptTag, image, {signal})
  }
}

/** Takes the containers and networks of a project away; volumes stay. */
export async function takeDown({engine, facts, project, onLine, signal}: Pick<SwitchParts, 'engine' | 'facts' | 'project' | 'onLine' | 'signal'>): Promise<void> {
  const {exitCode, stderr} = await engine.compose(composeArgs(project, 'down', '--remove-orphans'), {cwd: projectFolder(facts, project), signal, onLine})
  if (exitCode !== 0) throw new DeploymentFailure('start', `what was started could not be taken away: ${stderr.trim().split('\n').at(-1) ?? ''}`)
}
