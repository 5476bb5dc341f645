import {Fault} from '../../contract/faults.js'
import type {AppDefinition} from '../definition.js'
import {assembleDefinition, type Identity} from './assemble-definition.js'
import {readServices} from './compose-services.js'
import {parseComposeText} from './compose-text.js'
import {scalarText} from './compose-value.js'
import {draftServices} from './draft-services.js'
import type {DraftService} from './draft-service.js'
import {FieldPlan} from './field-plan.js'
import {ImportNotes, type ImportNote} from './import-notes.js'
import {noteLostKeys, noteLostTopKeys} from './lost-keys.js'
import {titleOf, toAppId} from '../name-texts.js'
import {planSecrets} from './plan-secrets.js'
import {planVariables} from './plan-variables.js'
import {FolderBudget, type ProjectFolder} from './project-folder.js'
import {placeAddresses} from './public-addresses.js'
import {settleDefinition} from './settle-definition.js'
import {tieServices} from './wiring.js'

export interface ComposeInput {
  readonly text: string
  /** What the file is called in messages. */
  readonly file: string
  readonly folder: ProjectFolder
  readonly variables: ReadonlyMap<string, string>
  readonly profiles?: readonly string[] | undefined
  readonly identity?: Partial<Identity> | undefined
  /** What the app is called where neither the caller nor the file says it. */
  readonly fallbackName?: string | undefined
}

export interface ComposeImport {
  readonly definition: AppDefinition
  /** What an author should look at, in the order of the file. */
  readonly notes: readonly ImportNote[]
}

/** Makes a definition to start from out of a Compose file. What it can not carry it tells; the gate takes what it makes. */
export function importCompose(input: ComposeInput): ComposeImport {
  const compose = parseComposeText(input.text, input.file)
  const notes = new ImportNotes()
  const context = {folder: input.folder, notes, profiles: input.profiles ?? [], variables: input.variables, budget: new FolderBudget()}
  const read = readServices(compose, context)
  if (read.length === 0) throw new Fault('VALIDATION_ERROR', `${input.file} has no services${notes.all.some(({key}) => key === 'profiles') ? ' without --profile' : ''}`)
  noteLostTopKeys(compose, notes)
  for (const service of read) noteLostKeys(service, notes)
  const drafted = draftServices(read, compose, context)
  const services = placeAddresses(tieServices(drafted.services, context), context)
  const plan = new FieldPlan()
  const bindings = planSecrets(services, plan, context, drafted.secretVariables)
  planVariables(services, plan, bindings, context)
  const definition = assembleDefinition(services, identify(input, scalarText(compose['name'])), {...context, plan, bindings})
  noteUnreachable(services, notes)
  return {definition: settleDefinition(definition, notes), notes: notes.all}
}

function identify({identity = {}, fallbackName}: ComposeInput, composeName: string | undefined): Identity {
  const id = identity.id ?? toAppId(identity.name ?? composeName ?? fallbackName ?? '') ?? 'app'
  const name = identity.name ?? titleOf(id)
  return {id, name, description: identity.description ?? `${name}, imported from a Compose file.`, logo: identity.logo ?? id, category: identity.category ?? 'other'}
}

function noteUnreachable(drafts: readonly DraftService[], notes: ImportNotes): void {
  if (drafts.every(({web}) => web.length === 0)) {
    notes.add({level: 'check', service: null, key: 'ports', why: 'no service offers a port for a browser', todo: 'set exposed and exposedPort on the one that people open, if there is one'})
  }
  const open = drafts.filter(({web}) => web.length > 0).map(({name}) => name)
  if (open.length > 1) {
    notes.add({level: 'check', service: null, key: 'ports', why: `${open.join(', ')} are open to browsers`, todo: 'take exposed, exposedPort and ports from those that only other services use'})
  }
  for (const {name, mappings, raw} of drafts) {
    const published = mappings.filter(({containerPort, hostAddress}) => raw.includes(containerPort) && hostAddress === null)
    for (const {hostPort, containerPort} of published) {
      const why = `${hostPort ?? ''}:${containerPort} was open to everybody and now is to this machine only`
      notes.add({level: 'changed', service: name, key: 'ports', why, todo: `write 0.0.0.0:${hostPort ?? containerPort}:${containerPort} if others should reach it`})
    }
  }
}
