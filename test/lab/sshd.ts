import {spawn, type ChildProcess} from 'node:child_process'
import {rm} from 'node:fs/promises'
import {join} from 'node:path'
import {fingerprintOf, makeKey} from './lab-keys.js'
import {answers, freePort} from './lab-ports.js'
import {childrenOf, killNow, labEnvironment, nameOf, runCommand, untilTrue} from './lab-processes.js'

export interface ServerWish {
  readonly host?: string
  readonly port?: number
  /** Words before each command that put it where the server runs; without them, this machine. */
  readonly inside?: readonly string[]
  /** Where the folder of the keys is there, if it is somewhere else. */
  readonly folderInside?: string
  /** Kinds of host key, besides ed25519. */
  readonly moreKeys?: readonly ('rsa' | 'ecdsa')[]
  /** More `-o` options, before ours: sshd keeps the first it sees. */
  readonly options?: readonly string[]
}

export interface LabServer {
  readonly host: string
  readonly port: number
  /** `SHA256:…` of the present host key. */
  fingerprint(): string
  fingerprintOf(kind: 'rsa' | 'ecdsa'): Promise<string>
  /** Ends the listener and every session, as a crash would; the commands that were started live on. */
  kill(): Promise<void>
  /** Ends the sessions alone: each connection drops. */
  dropConnections(): Promise<void>
  /** Listens again on the same port with the same key. */
  start(): Promise<void>
  replaceHostKey(): Promise<void>
  /** How many sessions are open. */
  sessionCount(): Promise<number>
}

/** A server of its own; the folder holds its host keys, `<name>_host_key`, and `authorized_keys`. */
export async function startSshd(folder: string, name: string, wish: ServerWish): Promise<LabServer> {
  const keyFile = join(folder, `${name}_host_key`)
  const host = wish.host ?? '127.0.0.1'
  const port = wish.port ?? (wish.inside === undefined ? await freePort(host) : 2222)
  let fingerprint = ''
  let running: RunningSshd | undefined

  const makeKeys = async () => {
    await rm(keyFile, {force: true})
    await makeKey(keyFile, 'ed25519', '')
    fingerprint = await fingerprintOf(keyFile)
    for (const kind of wish.moreKeys ?? []) await makeKey(`${keyFile}_${kind}`, kind, '')
  }
  const start = async () => {
    running = await listen([...(wish.inside ?? []), '/usr/sbin/sshd', '-D', '-e', '-f', '/dev/null', ...sshdOptions({folder, name, wish, host, port})], {wish, host, port})
  }
  const kill = async () => {
    if (running === undefined || running.child.exitCode !== null || running.child.signalCode !== null) return
    const {child, listener} = running
    const ending = new Promise((resolve) => child.once('exit', resolve))
    const sessions = await sessionsOf(listener)
    killNow(listener)
    await ending
    sessions.forEach(killNow)
  }
  await makeKeys()
  await start()
  return {
    host,
    port,
    fingerprint: () => fingerprint,
    fingerprintOf: (kind) => fingerprintOf(`${keyFile}_${kind}`),
    start,
    kill,
    async dropConnections() {
      if (running !== undefined) (await sessionsOf(running.listener)).forEach(killNow)
    },
    async replaceHostKey() {
      await kill()
      await makeKeys()
      await start()
    },
    sessionCount: async () => (running === undefined ? 0 : (await childrenOf([running.listener])).length),
  }
}

function sshdOptions({folder, name, wish, host, port}: {folder: string; name: string; wish: ServerWish; host: string; port: number}): string[] {
  const inside = wish.folderInside ?? folder
  const keyFile = join(inside, `${name}_host_key`)
  const options = [
    ...(wish.options ?? []), `Port=${port}`, `ListenAddress=${host}`, `HostKey=${keyFile}`, ...(wish.moreKeys ?? []).map((kind) => `HostKey=${keyFile}_${kind}`), 'PidFile=none', 'MaxStartups=200', 'MaxSessions=100', 'StrictModes=no',
    'PermitRootLogin=yes', 'PasswordAuthentication=yes', 'UsePAM=no', 'LogLevel=QUIET', `AuthorizedKeysFile=${join(inside, 'authorized_keys')}`, 'UseDNS=no',
  ]
  return options.flatMap((option) => ['-o', option])
}

interface RunningSshd {
  readonly child: ChildProcess
  /** The process that listens: the child itself, or the one that the words before it started. */
  readonly listener: number
}

async function listen([file = '', ...args]: readonly string[], {wish, host, port}: {wish: ServerWish; host: string; port: number}): Promise<RunningSshd> {
  const child = spawn(file, args, {stdio: ['ignore', 'ignore', 'inherit'], env: {PATH: labEnvironment.PATH}})
  const [program = '', ...words] = [...(wish.inside ?? []), 'ss', '-ltn']
  await untilTrue(async () => {
    if (child.exitCode !== null) throw new Error(`sshd on ${host}:${port} ended with ${child.exitCode}`)
    return wish.inside === undefined ? await answers(host, port) : (await runCommand(program, words)).includes(`:${port} `)
  }, {what: `sshd on ${host}:${port} to listen`})
  const pid = child.pid ?? 0
  const below = (await nameOf(pid)) === 'sshd' ? undefined : (await childrenOf([pid])).find(({name}) => name === 'sshd')
  return {child, listener: below?.pid ?? pid}
}

// A session is one or two processes of sshd's own below the listener; what they started for the user is left alone.
async function sessionsOf(listener: number): Promise<number[]> {
  const own = (await childrenOf([listener])).map(({pid}) => pid)
  const inner = (await childrenOf(own)).filter(({name}) => name.startsWith('sshd')).map(({pid}) => pid)
  return [...inner, ...own]
}
