import fc from 'fast-check'
import type {ComposeMount, ComposePort, ComposeProject, ComposeService} from '../../../src/compose/compose-model.js'
import {formatPort} from '../../../src/compose/port-text.js'
import {labelNames, toNetworkName, toVolumeName, type ComposeRelease} from '../../../src/compose/release.js'

// Any release in the one form that the reader gives, with texts that are hard to write as YAML.

const hard = fc.constantFrom(
  '', 'yes', 'No', 'on', 'y', 'null', '~', 'true', '1', '0123', '1e3', '1_000', '.5', '0x1F', '12:30', '2001-01-01', '.inf', '<<', '=', '#x', 'a #b', 'a: b', 'a:', ': ', '- a', '-', '?', '{a}', '[b', '&a', '*a', '!t', '|', '>', '%x',
  '@a', '`', '"', "'", `it's "so"`, '\\', '\\n', '$', '$$', '$HOME', '${X}', '${X:-y}', '$$$', '$(id)', 'a\nb', '\n', 'a\n\n b\n', '\ta\t', ' lead', 'trail ', '\r\n', '\x07', '\x7f', 'ünï', '☃', '😀', '\u0085', '\u2028', '\u2029', '\ufeff', '\uffff', '---', '...', '\u200b',
)
export const anyText = fc.oneof({weight: 3, arbitrary: hard}, fc.string({unit: 'binary', maxLength: 40}).filter((text) => !/\p{Surrogate}/u.test(text)), fc.string({maxLength: 30}), fc.string({minLength: 200, maxLength: 300}))
const noZero = anyText.map((text) => text.replaceAll('\0', ''))

const variable = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,12}$/).filter((name) => name !== '__proto__')
const label = fc.oneof(variable, fc.constantFrom('traefik.enable', 'a b', 'a$b', '#c', 'yes', '12', 'x:y', 'ü'))
const duration = fc.constantFrom('500ms', '1s', '90s', '2m', '1h')
const word = noZero
const path = fc.stringMatching(/^\/[a-z$]{1,8}(\/[a-z.]{1,5}[a-z])?$/).filter((text) => !/\/\.\.|\$\$/.test(text))

const ports = fc
  .uniqueArray(
    fc.record({
      hostAddress: fc.constantFrom(null, '127.0.0.1', '::1', '10.1.2.3'),
      hostPort: fc.option(fc.integer({min: 1, max: 9999})),
      containerPort: fc.integer({min: 1, max: 65_535}),
      protocol: fc.constantFrom('tcp' as const, 'udp' as const),
    }),
    {maxLength: 3, selector: formatPort},
  )
  // Each service has host ports of its own, and each port of it one.
  .map((list) => (service: number): ComposePort[] => list.map((port, index) => ({...port, hostPort: port.hostPort === null ? null : 10_000 + service * 1000 + index * 10 + (port.hostPort % 10)})))

const mount: fc.Arbitrary<ComposeMount> = fc.oneof(
  fc.record({type: fc.constant('volume' as const), source: fc.constantFrom('data', 'cache'), target: path, readOnly: fc.boolean()}),
  fc.record({type: fc.constant('volume' as const), source: fc.constant('data'), target: path, readOnly: fc.boolean(), options: fc.constant(['nocopy'])}),
  fc.record({type: fc.constant('volume' as const), source: fc.constant(null), target: path, readOnly: fc.constant(false)}),
  fc.record({type: fc.constant('bind' as const), source: path, target: path, readOnly: fc.boolean()}),
  fc.record({type: fc.constant('bind' as const), source: path, target: path, readOnly: fc.boolean(), options: fc.constantFrom(['z'], ['rshared'], ['Z', 'rslave'])}),
)
const tmpfs: fc.Arbitrary<ComposeMount> = fc.oneof(
  fc.record({type: fc.constant('tmpfs' as const), source: fc.constant(null), target: path, readOnly: fc.constant(false)}),
  fc.record({type: fc.constant('tmpfs' as const), source: fc.constant(null), target: path, readOnly: fc.constant(false), options: fc.constant(['size=64m', 'mode=1777'])}),
)

const others = fc.record(
  {
    cap_add: fc.uniqueArray(fc.constantFrom('NET_ADMIN', 'SYS_TIME'), {minLength: 1}),
    cpus: fc.constantFrom(0.5, 1, 2.25),
    dns: fc.constant(['1.1.1.1']),
    extra_hosts: fc.constant(['one:10.0.0.1', 'six:::1']),
    hostname: fc.constantFrom('h', 'yes', '12'),
    init: fc.boolean(),
    logging: fc.record({driver: fc.constant('json-file'), options: fc.dictionary(fc.constantFrom('max-size', 'max-file', 'tag'), word, {minKeys: 1})}),
    mem_limit: fc.constantFrom('512m', '1g', '1536m', '100b'),
    privileged: fc.boolean(),
    security_opt: fc.constant(['no-new-privileges:true']),
    sysctls: fc.constant({'net.core.somaxconn': '1024'}),
    ulimits: fc.constantFrom({nproc: 10}, {nofile: {soft: 1, hard: 2}}),
    user: fc.constantFrom('1000:1000', '0', 'no'),
    working_dir: fc.constantFrom('/app', '/a b', '/$x'),
    stop_signal: fc.constant('SIGINT'),
  },
  {requiredKeys: []},
)

const healthcheck = fc.oneof(
  fc.constant(null),
  fc.constant({test: null, interval: null, timeout: null, startPeriod: null, retries: null, disable: true}),
  fc.record({
    test: fc.option(fc.oneof(fc.tuple(fc.constant('CMD-SHELL'), word), fc.array(word, {minLength: 1, maxLength: 3}).map((words) => ['CMD', ...words]))),
    interval: fc.option(duration), timeout: fc.option(duration), startPeriod: fc.option(duration), retries: fc.option(fc.integer({min: 1, max: 9}), {nil: null}), disable: fc.constant(false),
  }).filter((check) => Object.values(check).some((value) => value !== null && value !== false)),
)

const condition = fc.constantFrom('service_started' as const, 'service_healthy' as const, 'service_completed_successfully' as const)

const body = fc.record({
  environment: fc.dictionary(variable, noZero, {maxKeys: 6}),
  ports,
  mounts: fc.tuple(fc.array(mount, {maxLength: 3}), fc.array(tmpfs, {maxLength: 2})).map(([volumes, memory]) => {
    const seen = new Set<string>()
    return [...volumes, ...memory].filter(({target}) => !seen.has(target) && seen.add(target))
  }),
  conditions: fc.array(fc.option(condition), {minLength: 4, maxLength: 4}),
  healthcheck,
  command: fc.option(fc.array(word, {maxLength: 4})),
  entrypoint: fc.option(fc.array(word, {maxLength: 3})),
  restart: fc.constantFrom(null, 'no', 'always', 'unless-stopped', 'on-failure', 'on-failure:3'),
  stopGracePeriod: fc.option(duration),
  labels: fc.dictionary(label, word, {maxKeys: 4}),
  networks: fc.constantFrom({default: {aliases: []}}, {default: {aliases: ['alias']}}, {back: {aliases: []}}, {back: {aliases: ['x', 'y'], others: {ipv4_address: '172.16.0.9'}}, default: {aliases: []}}),
  others,
})

const names = ['web', 'db', 'cache-1', 'Worker_2']

export const anyProject: fc.Arbitrary<ComposeProject> = fc.array(body, {minLength: 1, maxLength: 4}).map((bodies) => ({
  services: bodies.map(({ports: portsOf, conditions, ...rest}, index): ComposeService => ({
    name: names[index] ?? '', image: 'busybox:1', build: null, ...rest, ports: portsOf(index),
    dependsOn: names.slice(0, index).flatMap((service, other) => (conditions[other] == null ? [] : [{service, condition: conditions[other]}])),
  })),
  volumes: [{key: 'cache', name: null, external: false, others: {labels: {a: '$b'}, driver: 'local'}}, {key: 'data', name: null, external: false, others: {}}],
  networks: [{key: 'back', name: null, external: false, others: {driver: 'bridge'}}],
}))

export function releaseOf(project: ComposeProject, over: Partial<ComposeRelease> = {}): ComposeRelease {
  return {
    projectId: 'proj_1', slug: 'shop', loopback: false, volumes: project.volumes, networks: project.networks,
    services: project.services.map((service) => ({service, serviceId: `svc_${service.name}`, deploymentId: 'dep_1', image: service.image ?? 'built:1', hostPaths: hostPathsOf(service)})),
    ...over,
  }
}

/** Somewhere on the server for everything that comes from the source. */
function hostPathsOf({mounts, files = []}: ComposeService): Record<string, string> {
  return Object.fromEntries([...mounts.filter(({source}) => source?.startsWith('./') === true), ...files].map(({target}) => [target, `/srv/moorage/shop${target}`]))
}

/** What reading the file of a release gives: the project with the names and labels of the release in it. */
export function asWritten({projectId, slug, services, volumes, networks}: ComposeRelease): ComposeProject {
  const own = {[labelNames.managed]: 'true', [labelNames.project]: projectId}
  const withOwn = (record: Readonly<Record<string, unknown>>) => ({...record, labels: {...(record['labels'] as object | undefined), ...own}})
  const all = networks.some(({key}) => key === 'default') ? networks : [...networks, {key: 'default', name: null, external: false, others: {}}]
  const byKey = (a: {key: string}, b: {key: string}) => (a.key < b.key ? -1 : 1)
  return {
    services: services
      .map(({service, serviceId, deploymentId, hostPaths}) => ({
        ...service,
        mounts: service.mounts.map((mount) => (mount.source?.startsWith('./') === true ? {...mount, source: hostPaths[mount.target] ?? ''} : mount)),
        dependsOn: [...service.dependsOn].sort((a, b) => (a.service < b.service ? -1 : 1)),
        labels: {...service.labels, ...own, [labelNames.service]: serviceId, [labelNames.deployment]: deploymentId},
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    volumes: volumes.map((volume) => ({...volume, name: toVolumeName(slug, volume), others: volume.external ? {} : withOwn(volume.others)})).sort(byKey),
    networks: all.map((network) => ({...network, name: toNetworkName(slug, network), others: network.external ? {} : withOwn(network.others)})).sort(byKey),
  }
}
