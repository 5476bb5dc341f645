import type {ComposeAttachment, ComposeBuild, ComposeFile, ComposeHealthcheck, ComposeMount, ComposePort, ComposeService} from './compose-model.js'
import {parseMount, parseTmpfs} from './mount-text.js'
import {parsePorts} from './port-text.js'
import {fromBytes, toDuration} from './quantities.js'
import {ServiceAdvanced} from './service-advanced.js'
import {splitWords} from './shell-words.js'
import {joinSource} from './source-path.js'
import type {FieldsOptions, ServiceFields} from './to-service-fields.js'

export interface FieldProblem {
  /** Such as `ports` or `advanced.healthcheck.interval`. */
  readonly field: string
  readonly message: string
}

export interface FromFields {
  readonly service: ComposeService
  /** What of the row can not be; the service is without it. */
  readonly problems: readonly FieldProblem[]
}

/** A service row as a Compose service. The other way round of toServiceFields, for rows that people edited too. */
export function fromServiceFields(fields: ServiceFields, options: FieldsOptions): FromFields {
  const problems: FieldProblem[] = []
  const refuse = (field: string, message: string) => void problems.push({field, message})
  const advanced = readAdvanced(fields.advanced, refuse)
  const files = advanced.files ?? []
  const service: ComposeService = {
    name: fields.name,
    image: fields.image,
    build: toBuild(fields, advanced, {...options, refuse}),
    environment: {...fields.environment},
    ports: fields.ports.flatMap((text) => toPorts(text, refuse)),
    mounts: toMounts(fields.volumes, advanced, {...options, refuse}),
    ...(files.length > 0 && {files: files satisfies readonly ComposeFile[]}),
    dependsOn: fields.dependsOn.map((name) => ({service: name, condition: advanced.dependsOn?.[name] ?? 'service_started'})),
    healthcheck: toHealthcheck(advanced.healthcheck, refuse),
    command: fields.commandArgv ?? (fields.command === null ? null : toWords(fields.command, refuse)),
    entrypoint: advanced.entrypoint ?? null,
    restart: fields.restart,
    stopGracePeriod: toTime(advanced.stopGracePeriod, 'advanced.stopGracePeriod', refuse),
    labels: advanced.labels ?? {},
    networks: toNetworks(advanced),
    others: toOthers(advanced),
  }
  return {service, problems}
}

type Refuse = (field: string, message: string) => void

interface Reading extends FieldsOptions {
  readonly refuse: Refuse
}

function readAdvanced(given: ServiceFields['advanced'], refuse: Refuse): ServiceAdvanced {
  const parsed = ServiceAdvanced.safeParse(given)
  if (parsed.success) return parsed.data
  for (const {path, message} of parsed.error.issues) refuse(['advanced', ...path].join('.'), message)
  const broken = new Set(parsed.error.issues.flatMap((issue) => (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [String(issue.path[0])])))
  return ServiceAdvanced.parse(Object.fromEntries(Object.entries(given).filter(([key]) => !broken.has(key))))
}

function toBuild({build, dockerfile}: ServiceFields, advanced: ServiceAdvanced, {folder, refuse}: Reading): ComposeBuild | null {
  if (build === null) return null
  const context = joinSource(folder, build)
  if (context === null) refuse('build', `${build} lies outside of the source`)
  return {context: context ?? '.', dockerfile: dockerfile ?? 'Dockerfile', dockerfileInline: advanced.dockerfileInline ?? null, args: advanced.buildArgs ?? {}, target: advanced.buildTarget ?? null}
}

function toPorts(text: string, refuse: Refuse): readonly ComposePort[] {
  const ports = parsePorts(text)
  if (typeof ports !== 'string') return ports
  refuse('ports', ports)
  return []
}

function toMounts(volumes: readonly string[], advanced: ServiceAdvanced, reading: Reading): readonly ComposeMount[] {
  const short = volumes.flatMap((text): ComposeMount[] => {
    const parts = parseMount(text)
    if (typeof parts === 'string') {
      reading.refuse('volumes', parts)
      return []
    }
    if (parts.source !== null && !/^(?:[./~]|[a-zA-Z0-9][a-zA-Z0-9._-]*$)/.test(parts.source)) {
      reading.refuse('volumes', `${JSON.stringify(parts.source)} can not be the name of a volume`)
      return []
    }
    const isPath = parts.source !== null && /^[./~]/.test(parts.source)
    return placed({type: isPath ? 'bind' : 'volume', source: parts.source, target: parts.target, readOnly: parts.readOnly, ...(parts.options.length > 0 && {options: parts.options})}, reading)
  })
  const long = (advanced.mounts ?? []).flatMap(({options, ...mount}) => placed({...mount, ...(options !== undefined && {options})}, reading))
  return [...short, ...long, ...(advanced.tmpfs ?? []).map(parseTmpfs)]
}

function placed(mount: ComposeMount, {folder, refuse}: Reading): ComposeMount[] {
  if (mount.type !== 'bind' || mount.source === null || mount.source.startsWith('/')) return [mount]
  const path = joinSource(folder, mount.source)
  if (path === null) refuse('volumes', `${mount.source} lies outside of the source; write a path of the server from /, or use a volume`)
  return path === null ? [] : [{...mount, source: path === '.' ? './' : `./${path}`}]
}

function toWords(command: string, refuse: Refuse): readonly string[] | null {
  const words = splitWords(command)
  if (words === undefined) refuse('command', 'a quote in it does not end')
  return words ?? null
}

function toHealthcheck(check: ServiceAdvanced['healthcheck'], refuse: Refuse): ComposeHealthcheck | null {
  if (check === undefined) return null
  const test = typeof check.test === 'string' ? ['CMD-SHELL', check.test] : (check.test ?? null)
  if (check.disable === true || test?.[0] === 'NONE') return {test: null, interval: null, timeout: null, startPeriod: null, retries: null, disable: true}
  const time = (key: 'interval' | 'timeout' | 'startPeriod') => toTime(check[key] ?? undefined, `advanced.healthcheck.${key}`, refuse)
  return {test, interval: time('interval'), timeout: time('timeout'), startPeriod: time('startPeriod'), retries: check.retries ?? null, disable: false}
}

function toTime(text: string | undefined, field: string, refuse: Refuse): string | null {
  const duration = text === undefined ? undefined : toDuration(text)
  if (text !== undefined && duration === undefined) refuse(field, `${text} is no duration; write a number with its unit, such as 30s`)
  return duration ?? null
}

function toNetworks({networks, alias, networkMode}: ServiceAdvanced): Readonly<Record<string, ComposeAttachment>> {
  if (networkMode !== undefined) return {}
  if (networks === undefined) return {default: {aliases: alias === undefined ? [] : [alias]}}
  return Object.fromEntries(Object.entries(networks).map(([name, {aliases, others}]) => [name, {aliases: [...aliases, ...(alias !== undefined && name === 'default' ? [alias] : [])], ...(others !== undefined && {others})}]))
}

function toOthers({compose = {}, networkMode, pidMode, resources}: ServiceAdvanced): Record<string, unknown> {
  return {
    ...compose,
    ...(networkMode !== undefined && {network_mode: networkMode}),
    ...(pidMode !== undefined && {pid: pidMode}),
    ...(resources?.cpuCores !== undefined && {cpus: resources.cpuCores}),
    ...(resources?.memoryMb !== undefined && {mem_limit: fromBytes(Math.round(resources.memoryMb * 1024 ** 2))}),
  }
}
