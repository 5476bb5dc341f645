import {Fault} from '../../../src/contract/faults.js'
import type {ImageFacts} from '../../servers/engine/engine.js'
import {registryOf} from '../../servers/engine/image-ref.js'
import type {DeploymentContext} from './deployment-context.js'
import {DeploymentFailure, isDiskFull, isUnreachable} from './deployment-failure.js'

export interface PullWish {
  readonly ref: string
  readonly name: string
  readonly serviceId: string
  /** As Compose writes it; anything else asks the registry. */
  readonly pullPolicy: unknown
}

const atOnce = 3
const contentWithLocal = new Set<unknown>(['never', 'missing', 'if_not_present'])

/** Pulls each image once. One that the registry does not give now is taken from the server, where it is there. */
export async function pullImages(context: DeploymentContext, wishes: readonly PullWish[]): Promise<ReadonlyMap<string, ImageFacts>> {
  const pulled = new Map<string, ImageFacts>()
  const refs = [...new Map(wishes.map((wish) => [wish.ref, wish])).values()]
  const take = async (): Promise<void> => {
    for (let wish = refs.shift(); wish !== undefined; wish = refs.shift()) pulled.set(wish.ref, await pullImage(context, wish))
  }
  // All of them come to an end before the first failure is told: nothing is left running.
  const ends = await Promise.allSettled(Array.from({length: Math.min(atOnce, refs.length)}, take))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return pulled
}

async function pullImage(context: DeploymentContext, {ref, name, serviceId, pullPolicy}: PullWish): Promise<ImageFacts> {
  const {engine, log, signal, book, logins} = context
  const local = await engine.image(ref, {signal})
  if (local !== undefined && (contentWithLocal.has(pullPolicy) || ref.includes('@sha256:'))) return local
  if (pullPolicy === 'never') throw new DeploymentFailure('build', `the image ${ref} of ${name} is not on the server, and pull_policy is never`, {service: name})
  await book.markService(serviceId, {status: 'building'})
  try {
    const facts = await engine.pull(ref, {signal, login: logins.find(({server}) => server === registryOf(ref)), onLine: (line) => log.line(line, {service: name})})
    log.line(local?.id === facts.id ? `${ref} is up to date` : `pulled ${ref}`, {service: name})
    return facts
  } catch (error) {
    if (signal.aborted || isUnreachable(error) || !(error instanceof Fault)) throw error
    if (local === undefined || isDiskFull(error.message)) {
      throw new DeploymentFailure(isDiskFull(error.message) ? 'disk' : 'build', `the image ${ref} of ${name} could not be pulled: ${error.message}`, {service: name, details: error.details, cause: error})
    }
    log.line(`${ref} could not be asked for (${error.message}); the image that is on the server is used`, {level: 'warn', service: name})
    return local
  }
}
