import type {LintContext} from './lint-context.js'
import type {Problem, Rule} from './rule.js'

const web = {name: 'web', image: 'ghcr.io/example/paste:1.4.2'}
const db = {name: 'db', image: 'postgres:16.4'}
const app = (...services: object[]) => ({app: {services}})

/** Names of services, their order and their commands. */
export const serviceRules: readonly Rule[] = [
  {
    id: 'service-name', severity: 'warning', meaning: 'a service name that no reference can hold',
    why: 'Other parts and placeholders name the service: white space, slashes, colons and braces break them.',
    bad: app({...web, name: 'paste box'}), good: app({...web, name: 'paste-box'}),
    check: ({services}) => services.filter(({item}) => isBroken(item.name)).map(({item, path}) => ({path: [...path, 'name'], message: `the name ${JSON.stringify(item.name)} can not be used in references; use letters, digits and hyphens`})),
  },
  {
    id: 'name-dns', severity: 'info', meaning: 'a service name that is not a DNS label',
    why: 'The name is a host name on the network of the project. Some clients refuse capitals, dots and underscores in it.',
    bad: app({...web, name: 'paste_box'}), good: app({...web, name: 'paste-box'}),
    check: ({services}) =>
      services
        .filter(({item}) => !isBroken(item.name) && !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(item.name))
        .map(({item, path}) => ({path: [...path, 'name'], message: `${item.name} is not a DNS label, and it is the host name of the service`, suggestion: toDnsLabel(item.name)})),
  },
  {
    id: 'name-collision', severity: 'error', meaning: 'two service names that make the same host name',
    why: 'Creating the second service is refused: letters are lower-cased and everything else becomes a hyphen.', alsoRaises: ['name-dns'],
    bad: app({...web, name: 'paste-db'}, {...web, name: 'paste.db'}), good: app({...web, name: 'paste-db'}, {...web, name: 'paste'}),
    check: findCollisions,
  },
  {
    id: 'depends-unknown', severity: 'error', meaning: 'a dependsOn that names no service',
    why: 'It is ignored at run time, so the order that was meant does not hold.',
    bad: app({...web, dependsOn: ['database']}, db), good: app({...web, dependsOn: ['db']}, db),
    check: findUnknownDependencies,
  },
  {
    id: 'depends-cycle', severity: 'warning', meaning: 'services that wait for each other',
    why: 'The cycle is broken somewhere, so one of them starts before what it waits for.',
    bad: app({...web, dependsOn: ['db']}, {...db, dependsOn: ['web']}), good: app({...web, dependsOn: ['db']}, db),
    check: findCycles,
  },
  {
    id: 'command-shell', severity: 'warning', meaning: 'a command that needs a shell',
    why: 'command is split into words and no shell reads it. Write commandArgv: ["sh", "-c", "…"].',
    bad: app({...web, command: 'migrate && serve'}), good: app({...web, command: 'serve --port 8090'}),
    check: ({services}) =>
      services.flatMap(({item: {command}, path}) => {
        const match = /[|&;<>`\n]|\$[({A-Za-z_]/.exec(command ?? '')
        return match === null || command === undefined
          ? []
          : [{path: [...path, 'command'], inside: {offset: match.index, length: match[0].length}, message: 'no shell reads command; write commandArgv with sh and -c', suggestion: `"commandArgv": ${JSON.stringify(['sh', '-c', command])}`}]
      }),
  },
  {
    id: 'command-ignored', severity: 'warning', meaning: 'a command beside commandArgv',
    why: 'commandArgv wins and command is never used. Keep one.',
    bad: {app: {minEngine: '0.6.6', services: [{...web, command: 'serve', commandArgv: ['serve']}]}}, good: {app: {minEngine: '0.6.6', services: [{...web, commandArgv: ['serve']}]}},
    check: ({services}) => services.filter(({item}) => item.command !== undefined && item.commandArgv !== undefined).map(({path}) => ({path: [...path, 'command'], part: 'key', message: 'commandArgv wins; delete command'})),
  },
]

function isBroken(name: string): boolean {
  return /[\s/:{}"\\]/.test(name)
}

/** The host name that a service gets. */
export function toDnsLabel(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9-]+/g, '-').replace(/^-+|-+$/g, '') || 'service'
}

function findCollisions({services}: LintContext): Problem[] {
  const seen = new Map<string, string>()
  return services.flatMap(({item: {name}, path}) => {
    const label = toDnsLabel(name)
    const first = seen.get(label)
    seen.set(label, first ?? name)
    // The same name twice is told as such.
    return first === undefined || first === name ? [] : [{path: [...path, 'name'], message: `${name} and ${first} make the same host name ${label}; rename one`}]
  })
}

function findUnknownDependencies({services, findClosest, serviceNames, findService, isComplete}: LintContext): Problem[] {
  if (!isComplete('services.*.name')) return []
  return services.flatMap(({item: {dependsOn = []}, path}) =>
    dependsOn.flatMap((name, index) => {
      if (findService(name) !== undefined) return []
      const closest = findClosest(name, serviceNames)
      return [{path: [...path, 'dependsOn', index], message: `there is no service ${name}; ${closest === undefined ? `the services are ${serviceNames.slice(0, 10).join(', ')}` : `did you mean ${closest}?`}`, suggestion: closest}]
    }),
  )
}

// Told once for each cycle, at the dependency that closes it. Keeps its own stack: a chain may be as long as the file allows.
function findCycles({services, findService}: LintContext): Problem[] {
  const done = new Set<string>()
  const problems: Problem[] = []
  const places = new Map(services.map(({item, path}) => [item.name, path]))
  for (const {item} of services) {
    const chain = done.has(item.name) ? [] : [{name: item.name, next: 0}]
    const open = new Set(chain.map(({name}) => name))
    for (let top = chain.at(-1); top !== undefined; top = chain.at(-1)) {
      const next = findService(top.name)?.dependsOn?.[top.next]
      if (next === undefined) {
        done.add(top.name)
        open.delete(top.name)
        chain.pop()
        continue
      }
      if (open.has(next)) problems.push({path: [...(places.get(top.name) ?? []), 'dependsOn', top.next], message: `this closes a cycle: ${cycleText(chain.map(({name}) => name), next)}`})
      top.next += 1
      if (open.has(next) || done.has(next)) continue
      open.add(next)
      chain.push({name: next, next: 0})
    }
  }
  return problems
}

function cycleText(chain: readonly string[], closing: string): string {
  const names = [...chain.slice(chain.indexOf(closing)), closing]
  return (names.length > 10 ? [...names.slice(0, 5), '…', ...names.slice(-4)] : names).join(' → ')
}
