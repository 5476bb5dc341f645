import type {Service} from '../definition.js'
import {readImage as parseImage, unpinned} from '../lint/image-rules.js'
import type {ComposeService} from './compose-services.js'
import {fieldsOf, isFields, namesOf, scalarText, type Fields} from './compose-value.js'
import type {DraftService} from './draft-service.js'
import {plainText, type ImportContext} from './import-context.js'
import {toAppId} from '../name-texts.js'
import {readBuild} from './service-build.js'
import {readWords} from './service-command.js'
import {readEnvironment} from './service-environment.js'
import {readConfigs, readSecrets} from './service-files.js'
import {readHealthcheck} from './service-health.js'
import {readPorts} from './service-ports.js'
import {readVolumes} from './service-volumes.js'

export interface Drafts {
  readonly services: readonly DraftService[]
  /** Variables that hold secrets whatever they are called. */
  readonly secretVariables: ReadonlySet<string>
}

/** Turns each service into what a definition holds, as far as that goes without knowing the others. */
export function draftServices(services: readonly ComposeService[], compose: Fields, context: ImportContext): Drafts {
  const secretVariables = new Set<string>()
  const names = new Set(services.map(({name}) => name))
  const drafts = services.map((service): DraftService => {
    const {name, fields} = service
    const ports = readPorts(service, context)
    const {healthcheck, test} = readHealthcheck(service, context)
    const {volumes, files} = readVolumes(service, context)
    const secrets = readSecrets(service, compose, readEnvironment(service, context), context)
    for (const variable of secrets.variables) secretVariables.add(variable)
    const done = {...readImage(service, context), ...readExposure(ports.web), ...readDependencies(service, names, context), ...readRuntime(service, context)}
    return {
      name, done: {...done, ...(volumes.length > 0 && {volumes: [...volumes]}), ...(healthcheck !== undefined && {healthcheck}), ...(ports.ports.length > 0 && {ports: [...ports.ports]})},
      mappings: ports.mappings, web: ports.web, raw: ports.raw,
      environment: secrets.environment, command: readWords(service, 'command', context), entrypoint: readWords(service, 'entrypoint', context), test,
      files: [...files.map(({path, content}) => ({path, parts: [content]})), ...readConfigs(service, compose, context), ...secrets.files],
      aliases: aliasesOf(fields),
    }
  })
  return {services: drafts, secretVariables}
}

function readImage(service: ComposeService, context: ImportContext): Pick<Service, 'image' | 'build'> {
  const {name, fields} = service
  const build = fields['build'] === undefined || fields['build'] === null ? undefined : readBuild(service, context)
  if (build !== undefined) return {build}
  const given = plainText(fields['image'], {service: name, key: 'image'}, context)?.trim() ?? ''
  // A tag that has no value leaves its colon behind.
  const image = given.replace(/[:@]$/, '')
  if (parseImage(image) === undefined) {
    context.notes.add({level: 'lost', service: name, key: 'image', why: given === '' ? 'there is no image' : `${given} is no image reference`, todo: 'write the published one in place of the stand-in'})
    return {image: `replace-me/${toAppId(name) ?? 'service'}:0.0.0`}
  }
  const why = unpinned(image)
  if (why !== undefined) context.notes.add({level: 'check', service: name, key: 'image', why, todo: 'write the version that you tried'})
  return {image}
}

function readExposure(web: readonly number[]): Pick<Service, 'exposed' | 'exposedPort' | 'routes'> {
  const [main] = web
  if (main === undefined) return {}
  return {exposedPort: main, exposed: true, ...(web.length > 1 && {routes: web.map((port, index) => ({port, ...(index > 0 && {slugSuffix: String(port)})}))})}
}

function readDependencies({name, fields}: ComposeService, names: ReadonlySet<string>, {notes}: ImportContext): Pick<Service, 'dependsOn'> {
  const declared = fields['depends_on']
  const links = namesOf(fields['links']).map((link) => link.split(':', 1)[0] ?? '')
  const wanted = [...new Set([...namesOf(declared), ...links])]
  for (const other of wanted) {
    const condition = scalarText(fieldsOf(fieldsOf(declared)[other])['condition'])
    if (!names.has(other)) notes.add({level: 'lost', service: name, key: 'depends_on', why: `there is no service ${other} in the definition`, todo: 'nothing, if it is not needed'})
    else if (condition === 'service_completed_successfully') notes.add({level: 'check', service: name, key: 'depends_on', why: `it waited for the end of ${other}, which now only starts first`, todo: `make ${other} a step of prepare`})
    else if (condition === 'service_healthy') notes.add({level: 'changed', service: name, key: 'depends_on', why: `it waited until ${other} was healthy; now ${other} only starts first`, todo: 'check that the app tries again until it can connect'})
  }
  const dependsOn = wanted.filter((other) => names.has(other) && other !== name)
  return dependsOn.length === 0 ? {} : {dependsOn}
}

const restarts = ['no', 'always', 'on-failure', 'unless-stopped'] as const

function readRuntime({name, fields}: ComposeService, context: ImportContext): Pick<Service, 'restart' | 'stopGracePeriod' | 'resources'> {
  const text = plainText(fields['restart'], {service: name, key: 'restart'}, context)?.replace(/^false$/, 'no').split(':', 1)[0]
  const restart = restarts.find((known) => known === text)
  const grace = plainText(fields['stop_grace_period'], {service: name, key: 'stop_grace_period'}, context)?.replaceAll(/\s/g, '')
  const resources = readResources({name, fields}, context)
  return {...(restart !== undefined && {restart}), ...(grace !== undefined && grace !== '' && {stopGracePeriod: grace}), ...(resources !== undefined && {resources})}
}

function readResources({name, fields}: ComposeService, context: ImportContext): Service['resources'] {
  const deploy = fieldsOf(fields['deploy'])
  const [limits, reserved] = [fieldsOf(fieldsOf(deploy['resources'])['limits']), fieldsOf(fieldsOf(deploy['resources'])['reservations'])]
  const place = {service: name, key: 'deploy'}
  const memoryMb = toMegabytes(plainText(limits['memory'] ?? fields['mem_limit'] ?? reserved['memory'] ?? fields['mem_reservation'], place, context))
  const cpuCores = Number(plainText(limits['cpus'] ?? fields['cpus'] ?? fields['cpu_count'] ?? reserved['cpus'], place, context) ?? NaN)
  const copies = Number(scalarText(deploy['replicas'] ?? fields['scale']) ?? 1)
  if (copies > 1) context.notes.add({level: 'lost', service: name, key: 'deploy', why: `an app runs one container of a service, not ${copies}`, todo: 'nothing, in most cases'})
  if (reserved['devices'] !== undefined) context.notes.add({level: 'lost', service: name, key: 'deploy', why: 'an app gets no devices of the host', todo: 'check that it runs without'})
  const isCpu = Number.isFinite(cpuCores) && cpuCores > 0
  if (memoryMb === undefined && !isCpu) return undefined
  context.notes.add({level: 'changed', service: name, key: 'deploy', why: 'its limits became advice, which limits nothing', todo: 'nothing'})
  return {...(memoryMb !== undefined && {memoryMb}), ...(isCpu && {cpuCores})}
}

function toMegabytes(text: string | undefined): number | undefined {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?$/i.exec(text ?? '') ?? []
  const megabytes = Math.ceil(Number(amount) * ({k: 1 / 1024, m: 1, g: 1024, t: 1024 * 1024}[unit.toLowerCase()] ?? 1 / 1024 / 1024))
  return megabytes > 0 ? megabytes : undefined
}

function aliasesOf(fields: Fields): string[] {
  const networks = Object.values(fieldsOf(fields['networks'])).flatMap((network) => (isFields(network) ? namesOf(network['aliases']) : []))
  const own = [fields['container_name'], fields['hostname']].map(scalarText)
  return [...networks, ...own].filter((name): name is string => name !== undefined && name !== '')
}
