import type {ComposeHealthcheck, ComposeMount, ComposeService} from './compose-model.js'
import {formatMount, formatTmpfs} from './mount-text.js'
import {formatPort} from './port-text.js'
import {labelNames, type ComposeRelease, type ReleasedService} from './release.js'
import {escapeDollars, sortKeys, toYamlData, toYamlRecord} from './yaml-data.js'
import type {YamlData} from './yaml-out.js'

/** Images are there before services start; a tag of ours can be pulled from nowhere. */
const notWritten = new Set(['pull_policy'])

export function writeService(released: ReleasedService, release: Pick<ComposeRelease, 'projectId' | 'loopback'>): YamlData {
  const {service} = released
  const {healthcheck, restart, stopGracePeriod} = service
  const ports = service.ports.map((port) => formatPort(release.loopback && port.hostAddress === null ? {...port, hostAddress: '127.0.0.1'} : port))
  const volumes = [...service.mounts.filter(({type}) => type !== 'tmpfs').map((mount) => writeMount(mount, released)), ...writeFiles(released)]
  const tmpfs = service.mounts.filter(({type}) => type === 'tmpfs').map((mount) => escapeDollars(formatTmpfs(mount)))
  return {
    image: escapeDollars(released.image),
    ...writeCommand(service),
    ...(Object.keys(service.environment).length > 0 && {environment: toYamlRecord(service.environment)}),
    ...(ports.length > 0 && {ports}),
    ...(volumes.length > 0 && {volumes}),
    ...(tmpfs.length > 0 && {tmpfs}),
    ...(service.dependsOn.length > 0 && {depends_on: sortKeys(Object.fromEntries(service.dependsOn.map((other) => [other.service, {condition: other.condition}])))}),
    ...(healthcheck !== null && {healthcheck: writeHealthcheck(healthcheck)}),
    ...(restart !== null && {restart}),
    ...(stopGracePeriod !== null && {stop_grace_period: stopGracePeriod}),
    labels: writeLabels(released, release.projectId),
    ...writeNetworks(service),
    ...toYamlRecord(Object.fromEntries(Object.entries(service.others).filter(([key]) => !notWritten.has(key)))),
  }
}

function writeCommand({command, entrypoint}: ComposeService): Record<string, YamlData> {
  return {...(entrypoint !== null && {entrypoint: entrypoint.map(escapeDollars)}), ...(command !== null && {command: command.map(escapeDollars)})}
}

function writeLabels({service, serviceId, deploymentId}: ReleasedService, projectId: string): YamlData {
  const own = {[labelNames.managed]: 'true', [labelNames.project]: projectId, [labelNames.service]: serviceId, [labelNames.deployment]: deploymentId}
  return toYamlRecord({...service.labels, ...own})
}

function writeMount(mount: ComposeMount, {service, hostPaths}: Pick<ReleasedService, 'service' | 'hostPaths'>): YamlData {
  const isOfSource = mount.type === 'bind' && mount.source?.startsWith('./') === true
  const source = isOfSource ? hostPathOf(mount.target, service.name, hostPaths) : mount.source
  if (!mount.target.includes(':') && source?.includes(':') !== true) return escapeDollars(formatMount({...mount, source}))
  const propagation = (mount.options ?? []).find((option) => /shared|slave|private/.test(option))
  // A colon has no place in the short form.
  return toYamlRecord({
    type: mount.type,
    target: mount.target,
    ...(source !== null && {source}),
    ...(mount.readOnly && {read_only: true}),
    ...(mount.options?.includes('nocopy') === true && {volume: {nocopy: true}}),
    ...(propagation !== undefined && {bind: {propagation}}),
  })
}

function writeFiles(released: ReleasedService): YamlData[] {
  return (released.service.files ?? []).map(({target}) => writeMount({type: 'bind', source: './', target, readOnly: true}, released))
}

function hostPathOf(target: string, service: string, hostPaths: Readonly<Record<string, string>>): string {
  const path = Object.hasOwn(hostPaths, target) ? hostPaths[target] : undefined
  if (path === undefined) throw new Error(`no path on the server was given for ${target} of ${service}`)
  return path
}

function writeHealthcheck({test, interval, timeout, startPeriod, retries, disable}: ComposeHealthcheck): YamlData {
  if (disable) return {test: ['NONE']}
  return {
    ...(test !== null && {test: test.map(escapeDollars)}),
    ...(interval !== null && {interval}),
    ...(timeout !== null && {timeout}),
    ...(startPeriod !== null && {start_period: startPeriod}),
    ...(retries !== null && {retries}),
  }
}

function writeNetworks({networks, others}: ComposeService): Record<string, YamlData> {
  const names = Object.entries(networks)
  const [first] = names
  const isDefault = names.length === 1 && first?.[0] === 'default' && first[1].aliases.length === 0 && first[1].others === undefined
  if (isDefault || names.length === 0 || others['network_mode'] !== undefined) return {}
  const written = names.map(([name, attachment]): [string, YamlData] => {
    const keys = {...(attachment.aliases.length > 0 && {aliases: attachment.aliases}), ...attachment.others}
    return [name, Object.keys(keys).length === 0 ? null : (toYamlData(keys) ?? null)]
  })
  return {networks: sortKeys(Object.fromEntries(written))}
}
