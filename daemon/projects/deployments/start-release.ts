import type {ContainerFacts} from '../../servers/engine/engine.js'
import type {CarryOutParts} from './carry-out.js'
import type {DeploymentContext} from './deployment-context.js'
import {DeploymentFailure} from './deployment-failure.js'
import type {DeploymentInHand} from './deployment-run.js'
import type {WatchedService} from './health-watch.js'
import {lastLines} from './last-lines.js'
import {projectSecrets} from './project-secrets.js'
import type {OpenRelease} from './release-book.js'
import {findSilentPorts, type UpService} from './silent-ports.js'
import {switchRelease} from './switch-release.js'
import {toWatched} from './watched-services.js'

export interface StartWish {
  readonly context: DeploymentContext
  readonly release: OpenRelease
  /** Services whose containers are made anew. */
  readonly changed: ReadonlySet<string>
}

/** Switches to a release, then runs what an app needs once it is up. A failure names the service, and what its container said last. */
export async function startRelease(parts: CarryOutParts, {deployment, book, log, signals, meter}: DeploymentInHand, {context, release, changed}: StartWish): Promise<void> {
  const {clock, settleMs} = parts
  const containers = new Map<string, ContainerFacts>()
  const up: UpService[] = []
  const marks: Promise<void>[] = []
  const services = toWatched(release, changed)
  log.begin('deploy', () => namesOf(services, containers) ?? 'what the services need once they are up')
  await book.markStep('deploy', 'running')
  try {
    await switchRelease({
      ...context, clock, settleMs, release, meter, signal: signals.late, services,
      onLine: (line) => log.line(line),
      onUp({serviceId, name}, container, listening) {
        containers.set(serviceId, container)
        if (changed.has(serviceId)) up.push({name, container, listening})
        const facts = {containerId: container.id, hostPort: container.ports[0]?.hostPort ?? null}
        if (changed.has(serviceId)) log.line(container.health === 'healthy' ? `${name} is healthy` : `${name} is up`, {service: name})
        marks.push(book.markService(serviceId, changed.has(serviceId) ? {...facts, status: 'success'} : facts))
      },
    })
    await Promise.all(marks)
    const warnings = await findSilentPorts({...context, clock, settleMs, signal: signals.late}, up)
    for (const warning of warnings) log.line(warning, {level: 'warn'})
    await book.patch({stage: 'after-up', warningMessage: warnings.length === 0 ? null : warnings.join('; ')})
    await parts.afterHealthy({
      project: context.project, deployment, engine: context.engine, containers, signal: signals.late,
      note: (line, level) => log.line(line, {level}),
      masked: (text) => log.masked(text),
      refreshSecrets: async () => log.hide(await projectSecrets(parts.store, parts.sealer, context.project)),
    })
  } catch (error) {
    await Promise.allSettled(marks)
    throw signals.late.aborted ? error : await explain(context, log, error)
  }
}

/** The services that are not up yet. */
function namesOf(services: readonly WatchedService[], up: ReadonlyMap<string, unknown>): string | undefined {
  const names = services.filter(({serviceId}) => !up.has(serviceId)).map(({name}) => name)
  return names.length === 0 ? undefined : `${names.join(', ')} to be up`
}

const shownLines = 5

async function explain({engine}: DeploymentContext, log: DeploymentInHand['log'], error: unknown): Promise<unknown> {
  if (!(error instanceof DeploymentFailure) || error.service === undefined) return error
  const {containerId, ...details} = error.details
  const lines = typeof containerId === 'string' ? await lastLines(engine, containerId, AbortSignal.timeout(10_000)) : []
  for (const line of lines) log.line(line, {level: 'warn', service: error.service})
  const said = lines.slice(-shownLines).map((line) => line.trim()).filter((line) => line !== '')
  const message = said.length === 0 ? error.message : `${error.message}; it said last: ${log.masked(said.join(' / '))}`
  return new DeploymentFailure(error.reason, message, {service: error.service, code: error.code, details: {...details, lastLines: lines.map((line) => log.masked(line))}, cause: error})
}
