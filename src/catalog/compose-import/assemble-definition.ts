import {Service, type AppDefinition, type ConnectionOutput, type Endpoint} from '../definition.js'
import {compareVersions, keyEngines} from '../engine-version.js'
import {TextBinder, type BindContext} from './bind-texts.js'
import type {DraftService} from './draft-service.js'

export type Identity = Pick<AppDefinition, 'id' | 'name' | 'description' | 'category' | 'logo'>

/** Puts the services and their fields together, in the order in which authors write a definition. */
export function assembleDefinition(drafts: readonly DraftService[], {id, name, description, logo, category}: Identity, context: BindContext): AppDefinition {
  const bound = drafts.map((draft) => bindService(draft, context))
  const services = bound.map(({service}) => service)
  const files = bound.flatMap(({files: own}) => own)
  const minEngine = engineFor(services)
  const {configFields, settings} = context.plan
  const outputs = outputsOf(drafts)
  return {
    id, name, description, kind: 'template', logo, category, available: true, framework: 'docker-compose',
    ...(minEngine !== undefined && {minEngine}), services,
    ...(configFields.length > 0 && {configFields}),
    ...(settings.length > 0 && {settings: [{id: 'settings', label: 'Settings', fields: settings}]}),
    ...(outputs.length > 0 && {connection: {title: name, outputs}}),
    ...endpointsFor(drafts),
    ...(files.length > 0 && {files}),
  }
}

function bindService(draft: DraftService, context: BindContext): {service: Service; files: NonNullable<AppDefinition['files']>} {
  const binder = new TextBinder(draft, context)
  const files = draft.files.map(({path, parts}) => ({service: draft.name, path, content: binder.file(parts)}))
  const entrypoint = draft.entrypoint === undefined ? undefined : binder.argv(draft.entrypoint)
  const command = draft.command === undefined ? undefined : binder.argv(draft.command, entrypoint)
  const test = testOf(draft, binder)
  const {healthcheck, ...rest} = draft.done
  const service: Service = {
    name: draft.name,
    ...rest,
    ...binder.environment,
    ...((healthcheck !== undefined || test !== undefined) && {healthcheck: {...(test !== undefined && {test}), ...healthcheck}}),
    ...(entrypoint !== undefined && {entrypointArgv: entrypoint}),
    ...(command !== undefined && {commandArgv: command}),
  }
  return {service: inOrder(service), files}
}

// The format's own order of keys.
function inOrder(service: Service): Service {
  const keys = Object.keys(Service.shape)
  return Object.fromEntries(Object.entries(service).toSorted(([a], [b]) => keys.indexOf(a) - keys.indexOf(b))) as Service
}

function testOf({test}: DraftService, binder: TextBinder): string[] | undefined {
  if (test === undefined) return undefined
  return test.form === 'shell' || binder.hasBound(test) ? ['CMD-SHELL', binder.shell(test)] : ['CMD', ...binder.argv(test)]
}

function engineFor(services: readonly Service[]): string | undefined {
  const needed = services.flatMap((service) => Object.entries(keyEngines).flatMap(([key, engine]) => (Object.hasOwn(service, key) ? [engine] : [])))
  return needed.toSorted(compareVersions).at(-1)
}

function outputsOf(drafts: readonly DraftService[]): ConnectionOutput[] {
  const open = drafts.filter(({web}) => web.length > 0)
  return open.map(({name}, index) => ({
    id: index === 0 ? 'url' : `${name}-url`, label: index === 0 ? 'Address' : `Address of ${name}`, source: `publicUrl:${name}`, kind: 'url', recommended: index === 0,
  }))
}

// Only where the ports of browsers are not all: without a list, those are derived.
function endpointsFor(drafts: readonly DraftService[]): {endpoints?: Endpoint[]} {
  const raw = drafts.flatMap(({name, mappings}) =>
    mappings.filter(({protocol, containerPort}) => protocol === 'tcp' && drafts.some((draft) => draft.name === name && draft.raw.includes(containerPort)))
      .map(({containerPort}): Endpoint => ({service: name, port: containerPort, label: `${name} (${containerPort})`, kind: 'tcp', required: false, defaultMode: 'publish'})),
  )
  if (raw.length === 0) return {}
  const web = drafts.flatMap(({name, web: ports}) => ports.map((port): Endpoint => ({service: name, port, label: name, kind: 'http', scope: 'public'})))
  return {endpoints: [...web, ...raw]}
}
