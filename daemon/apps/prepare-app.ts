import type {PrepareStep} from '../../src/catalog/definition.js'
import {pickText} from '../../src/catalog/pick-text.js'
import {toInstant, type Clock} from '../clock.js'
import {definitionOf} from '../projects/app-definition.js'
import {readStoredValues, servicesOfProject, writeAppEnv} from '../projects/app-projects.js'
import {DeploymentFailure} from '../projects/deployments/deployment-failure.js'
import type {AfterHealthy, HealthyContext} from '../projects/deployments/run-after-healthy.js'
import type {Sealer} from '../store/secrets.js'
import type {Store} from '../store/store.js'
import {capturePrepareStep, PrepareFailure} from './capture-prepare-step.js'

export interface PrepareParts {
  readonly store: Store
  readonly clock: Clock
  readonly sealer: Sealer
}

/** Runs the prepare steps of an installed app in its containers, one after the other. One that has to succeed and does not fails the deployment. */
export function createPrepareApp(parts: PrepareParts): AfterHealthy {
  return async (context) => {
    for (const step of definitionOf(context.project)?.prepare ?? []) await takeStep(parts, context, step)
  }
}

async function takeStep(parts: PrepareParts, context: HealthyContext, step: PrepareStep): Promise<void> {
  const {note, signal} = context
  const title = pickText(step.title ?? step.capture, 'en')
  if (step.phase === 'pre-deploy') return note(`${title}: steps before a deployment are not run; it is left out`, 'warn')
  const containerId = await findContainer(parts, context, step.service)
  if (containerId === undefined) return
  if (await isDone(parts, context, step)) return note(`${title}: done before`)
  note(`${title} …`)
  try {
    const value = await capturePrepareStep({engine: context.engine, clock: parts.clock, containerId, signal}, step)
    if (step.persistAs !== undefined) await persist(parts, context, step, value)
    note(`${title}: done${step.persistAs === undefined ? '' : `; ${step.persistAs.key} of ${step.service} is stored, and its container has it from the next deployment on`}`)
  } catch (error) {
    if (signal.aborted || !(error instanceof PrepareFailure)) throw error
    if (step.mustSucceed === true) throw new DeploymentFailure('setup', `${title}: ${context.masked(error.message)}`, {service: step.service, details: {containerId}, cause: error})
    note(`${title}: ${error.message}; the deployment goes on without it`, 'warn')
  }
}

// A service that was taken out, or that has ended, has nothing to run a command in.
async function findContainer({store}: PrepareParts, {project, containers}: HealthyContext, service: string): Promise<string | undefined> {
  const row = (await servicesOfProject(store, project.id)).find(({name}) => name === service)
  const container = row === undefined ? undefined : containers.get(row.id)
  return container?.state === 'running' ? container.id : undefined
}

async function isDone({store, sealer}: PrepareParts, {project}: HealthyContext, {service, once, persistAs}: PrepareStep): Promise<boolean> {
  if (once !== true || persistAs === undefined) return false
  const stored = await readStoredValues(store, sealer, project)
  return stored.some((entry) => entry.key === persistAs.key && (entry.service === service || entry.service === null))
}

async function persist({store, clock, sealer}: PrepareParts, {project, refreshSecrets}: HealthyContext, {service, persistAs}: PrepareStep, value: string): Promise<void> {
  if (persistAs === undefined) return
  const row = {service, key: persistAs.key, value, isSecret: persistAs.secret === true}
  await store.transaction((transaction) => writeAppEnv(transaction, sealer, {project, rows: [row], now: toInstant(clock.now())}))
  await refreshSecrets()
}
