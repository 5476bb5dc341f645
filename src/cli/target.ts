import type {Connection} from '../client/client.js'
import {getContext, readContexts, type Context, type Contexts} from '../config/contexts.js'
import {findDaemon, readLocalToken, type DaemonRecord} from '../config/daemon-record.js'
import type {Environment} from '../config/environment.js'
import {systemHome, type Paths} from '../config/paths.js'
import {Fault} from '../contract/faults.js'

/** What the flags say about where to go. */
export interface TargetFlags {
  readonly url: string | undefined
  readonly context: string | undefined
  readonly organization: string | undefined
  /** From stdin. */
  readonly token: string | undefined
}

export interface Target extends Connection {
  /** How the address was chosen, for `status` and `doctor`. */
  readonly source: 'flag' | 'environment' | 'context' | 'local'
  readonly contextName: string | null
  /** Of a daemon on this machine. */
  readonly home: string | null
}

export interface TargetOptions {
  readonly flags: TargetFlags
  readonly environment: Environment
  readonly paths: Paths
  /** Starts a daemon with the home of the paths; undefined where that was forbidden. */
  readonly start: (() => Promise<DaemonRecord>) | undefined
}

interface Chosen {
  readonly url: string
  readonly source: Target['source']
  readonly contextName: string | null
  readonly context: Context | undefined
}

/** Where to, and as whom: flag, environment, context, then a daemon of this machine. A token never goes to another address than its own. */
export async function resolveTarget(options: TargetOptions): Promise<Target> {
  const {flags, environment, paths} = options
  const contexts = await readContexts(paths.contextsFile)
  const chosen = chooseAddress(flags, environment, contexts)
  if (chosen === undefined) return localTarget(options)
  const context = chosen.context ?? contextOfUrl(contexts, chosen.url)
  const local = context === undefined ? await localHomeOf(chosen.url, paths) : undefined
  const localToken = local === undefined ? undefined : (await readLocalToken(local)).token
  const named = flags.context === undefined ? undefined : context?.token
  const token = flags.token ?? named ?? environment.token ?? context?.token ?? localToken
  return {
    baseUrl: chosen.url, token, source: chosen.source, contextName: chosen.contextName, home: local ?? null,
    organizationId: flags.organization ?? environment.organization ?? context?.organization,
  }
}

/** The target, or a fault that says where a token was looked for. */
export function requireToken(target: Target, paths: Paths): Target {
  if (target.token !== undefined) return target
  const named = target.contextName === null ? '' : ` --name ${target.contextName}`
  throw new Fault('NOT_SIGNED_IN', `no token for ${target.baseUrl}: looked at --token-stdin, MOORAGE_TOKEN and ${paths.contextsFile}`, {
    details: {url: target.baseUrl, lookedAt: ['--token-stdin', 'MOORAGE_TOKEN', paths.contextsFile]},
    suggestions: [`login --url ${target.baseUrl}${named}`],
  })
}

function chooseAddress(flags: TargetFlags, environment: Environment, contexts: Contexts): Chosen | undefined {
  const byName = (name: string, source: Target['source'], said: string): Chosen => {
    const context = getContext(contexts, name, said)
    return {url: context.url, source, contextName: name, context}
  }
  if (flags.url !== undefined) return {url: flags.url, source: 'flag', contextName: null, context: undefined}
  if (flags.context !== undefined) return byName(flags.context, 'flag', '--context')
  if (environment.url !== undefined) return {url: environment.url, source: 'environment', contextName: null, context: undefined}
  if (environment.context !== undefined) return byName(environment.context, 'environment', 'MOORAGE_CONTEXT')
  if (contexts.current !== null) return byName(contexts.current, 'context', 'the current context')
  return undefined
}

// The current context comes first where several hold the same address.
function contextOfUrl(contexts: Contexts, url: string): Context | undefined {
  const current = contexts.current === null ? undefined : contexts.contexts[contexts.current]
  return [...(current === undefined ? [] : [current]), ...Object.values(contexts.contexts)].find((context) => context.url === url)
}

async function localHomeOf(url: string, paths: Paths): Promise<string | undefined> {
  for (const home of paths.homes) {
    if ((await findDaemon(home))?.url === url) return home
  }
  return undefined
}

async function localTarget({flags, environment, paths, start}: TargetOptions): Promise<Target> {
  for (const home of paths.homes) {
    const daemon = await findDaemon(home)
    if (daemon !== undefined) return signIn(daemon, home, flags, environment)
  }
  if (start === undefined) {
    throw new Fault('DAEMON_NOT_RUNNING', `no daemon runs with the home ${paths.home}, and --no-start forbids to start one`, {
      details: {home: paths.home}, suggestions: ['daemon start'],
    })
  }
  return signIn(await start(), paths.home, flags, environment)
}

async function signIn(daemon: DaemonRecord, home: string, flags: TargetFlags, environment: Environment): Promise<Target> {
  const given = flags.token ?? environment.token
  const local = given === undefined ? await readLocalToken(home) : {denied: false}
  if (local.denied) {
    const whose = home === systemHome ? 'the daemon of this machine' : `the daemon of ${home}`
    throw new Fault('NOT_SIGNED_IN', `${whose} keeps its token to itself: sign in with a token of your own`, {
      details: {url: daemon.url, home}, suggestions: [`login --url ${daemon.url}`],
    })
  }
  return {
    baseUrl: daemon.url, token: given ?? local.token, source: 'local', contextName: null, home,
    organizationId: flags.organization ?? environment.organization,
  }
}
