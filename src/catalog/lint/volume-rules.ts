import type {LintContext} from './lint-context.js'
import type {Problem, Rule} from './rule.js'

const app = (...volumes: string[]) => ({app: {services: [{name: 'web', image: 'ghcr.io/example/paste:1.4.2', volumes}]}})

/** Where a service keeps its data. */
export const volumeRules: readonly Rule[] = [
  {
    id: 'volume-syntax', severity: 'error', meaning: 'a volume that can not be read',
    why: 'A volume is "NAME:/path", with :ro where it is only read. The path inside the container is absolute.',
    bad: app('paste_data:var/lib/paste'), good: app('paste_data:/var/lib/paste'),
    check: (lint) => eachVolume(lint, (text) => (readVolume(text) === undefined ? `${JSON.stringify(text)} is no volume; write "NAME:/path" with an absolute path inside the container` : undefined)),
  },
  {
    id: 'volume-bind', severity: 'warning', meaning: 'a volume that is a folder of the machine',
    why: 'The folder may not be there, or belong to someone else. Use a named volume, or files for configuration.',
    bad: app('./data:/var/lib/paste'), good: app('paste_data:/var/lib/paste'),
    check: (lint) => eachVolume(lint, (text) => (readVolume(text)?.kind === 'bind' ? `${text} mounts a folder of the machine; use a named volume, or files for configuration` : undefined)),
  },
  {
    id: 'volume-anonymous', severity: 'warning', meaning: 'a volume without a name',
    why: 'A new one is made with every container, so the data is gone after the next deployment.',
    bad: app('/var/lib/paste'), good: app('paste_data:/var/lib/paste'),
    check: (lint) => eachVolume(lint, (text) => (readVolume(text)?.kind === 'anonymous' ? `${text} has no name, so its data does not survive a deployment; write "NAME:${text}"` : undefined)),
  },
  {
    id: 'volume-twice', severity: 'error', meaning: 'two volumes at one path of a container',
    why: 'The container is not created.',
    bad: app('paste_data:/var/lib/paste', 'paste_cache:/var/lib/paste'), good: app('paste_data:/var/lib/paste', 'paste_cache:/var/cache/paste'),
    check: findTwice,
  },
]

interface Volume {
  readonly kind: 'named' | 'bind' | 'anonymous'
  readonly target: string
}

function readVolume(text: string): Volume | undefined {
  const match = /^(?:([^:]+):)?(\/[^:]*)(?::([a-zA-Z,]+))?$/.exec(text)
  if (match?.[2] === undefined) return undefined
  const [, source, target] = match
  if (source === undefined) return {kind: 'anonymous', target}
  if (/^[./~]/.test(source) || source.includes('/')) return {kind: 'bind', target}
  return /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(source) ? {kind: 'named', target} : undefined
}

function eachVolume({services}: LintContext, check: (text: string) => string | undefined): Problem[] {
  return services.flatMap(({item: {volumes = []}, path}) =>
    volumes.flatMap((text, index) => {
      const message = check(text)
      return message === undefined ? [] : [{path: [...path, 'volumes', index], message}]
    }),
  )
}

function findTwice({services}: LintContext): Problem[] {
  return services.flatMap(({item: {volumes = []}, path}) => {
    const targets = volumes.map((text) => readVolume(text)?.target.replace(/\/+$/, ''))
    return targets.flatMap((target, index) => (target !== undefined && targets.indexOf(target) < index ? [{path: [...path, 'volumes', index], message: `${target} is mounted already`}] : []))
  })
}
