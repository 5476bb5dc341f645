import type {Client} from '../client/client.js'
import type {Project} from '../contract/project.js'
import type {Output} from './output.js'
import type {Prompts} from './prompts.js'

const deletionTimeoutMs = 300_000

export interface DeletionContext {
  readonly api: Client
  readonly out: Output
  readonly prompts: Prompts
  readonly signal: AbortSignal
}

export interface DeletionChoice {
  readonly volumes: boolean
  readonly recordOnly: boolean
  readonly force: boolean
  readonly forceOrphan: boolean
  readonly dryRun: boolean
  readonly yes: boolean
  /** What is done to it, as the question has it. */
  readonly verb: string
}

/** Shows what goes and what stays, asks, and deletes. */
export async function deleteProject({api, out, prompts, signal}: DeletionContext, {id, name}: Project, choice: DeletionChoice) {
  const {volumes, recordOnly, force, forceOrphan, dryRun, yes, verb} = choice
  const {data: preview} = await api.projects.deletionPreview({params: {id}, query: volumes ? {wipeVolumes: 'true'} : {}}, {signal})
  if (!preview.reachable) out.warn('its server does not answer; this is what is known of it')
  for (const {kind, name: what} of recordOnly ? [] : preview.removed) out.note(`${kind} ${what} goes`)
  for (const {kind, name: what} of recordOnly ? [...preview.removed, ...preview.kept] : preview.kept) out.note(`${kind} ${what} stays`)
  for (const {name: consumer, envKey} of preview.consumers) out.warn(`${consumer} uses it: ${envKey} is taken away there`)
  for (const deployment of preview.activeDeploymentIds) out.note(`deployment ${deployment} is going on`)
  if (dryRun) {
    out.print(`${name} would be deleted`)
    return {id, deleted: false, preview}
  }
  await prompts.confirm(`${verb} ${name} (${id})${volumes ? ' with all of its data' : ''}?`, yes)
  const query = {...(volumes && {wipeVolumes: 'true'}), ...(force && {force: 'true'}), ...(recordOnly && {recordOnly: 'true'}), ...(forceOrphan && {forceOrphan: 'true'})}
  const result = await api.projects.delete({params: {id}, query}, {signal, timeoutMs: deletionTimeoutMs})
  for (const left of result.orphaned) out.warn(`left on its server: ${left}`)
  return {id, deleted: true, preview, ...result}
}
