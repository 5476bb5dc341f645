import {spawn, type ChildProcess} from 'node:child_process'
import {mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile} from 'node:fs/promises'
import net from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {addUser, removeStaleUsers, removeUser, runCommand, type LabUser, type LabUserWish} from './lab-users.js'
import {missingPart} from './require-part.js'

// Real OpenSSH servers on this machine, each with its own host key and port. For every test that needs a server:
//   const lab = await startOpenSsh(); const server = await lab.server(); … await lab.stop()

/** Null where the machine has all that is needed; give it to `describe.skipIf`. */
export function openSshMissing(): string | null {
  return missingPart('OpenSSH', ['sshd', 'ssh-keygen', 'useradd', 'openssl', 'sudo', 'ip', 'nft'])
}

export interface ServerWish {
  readonly host?: string
  readonly port?: number
  /** Runs inside this network namespace. */
  readonly namespace?: string
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

export interface OpenSshLab {
  readonly folder: string
  /** Private keys, all of them let in for every user: plain, and encrypted with `keyPassphrase`. */
  readonly key: string
  readonly keyFile: string
  readonly encryptedKey: string
  readonly keyPassphrase: string
  user(wish?: Partial<LabUserWish>): Promise<LabUser>
  server(wish?: ServerWish): Promise<LabServer>
  /** A server that only the jump host reaches, and a port of the jump host that drops packets. */
  hidden(): Promise<{readonly jump: LabServer; readonly target: LabServer; readonly filteredPort: number}>
  /** kill -9 of every process that runs with this home, as a power cut would. */
  killProcessesOf(user: LabUser): Promise<void>
  stop(): Promise<void>
}

const stalePattern = /^ml-(\d+)-[0-9a-z]+$/

export async function startOpenSsh(): Promise<OpenSshLab> {
  await removeStaleUsers(stalePattern)
  const folder = await mkdtemp(join(tmpdir(), 'moorage-lab-'))
  const cleanups: (() => Promise<void>)[] = [() => rm(folder, {recursive: true, force: true})]
  await runCommand('chmod', ['755', folder])
  await mkdir('/run/sshd', {recursive: true})
  const keyPassphrase = 'open sesame'
  await runCommand('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')])
  await runCommand('ssh-keygen', ['-q', '-t', 'ed25519', '-N', keyPassphrase, '-f', join(folder, 'encrypted')])
  const publicKeys = await Promise.all(['key.pub', 'encrypted.pub'].map((name) => readFile(join(folder, name), 'utf8')))
  await writeFile(join(folder, 'authorized_keys'), publicKeys.join(''), {mode: 0o644})
  const unique = `ml-${process.pid}-`
  let count = 0

  const lab: OpenSshLab = {
    folder,
    key: await readFile(join(folder, 'key'), 'utf8'),
    keyFile: join(folder, 'key'),
    encryptedKey: await readFile(join(folder, 'encrypted'), 'utf8'),
    keyPassphrase,
    async user(wish = {}) {
      const name = wish.name ?? `${unique}${Date.now().toString(36).slice(-5)}${(count++).toString(36)}`
      const user = await addUser({name, home: join(folder, name), password: `pw ${name} '$x`, isRoot: true, ...wish})
      cleanups.push(async () => {
        await killHome(user.home)
        await removeUser(name)
      })
      return user
    },
    async server(wish = {}) {
      const server = await startServer(folder, `s${count++}`, wish)
      cleanups.push(() => server.kill())
      return server
    },
    async hidden() {
      const network = await addNetwork(cleanups)
      const jump = await lab.server({host: network.jumpAddress, namespace: network.jumpNamespace})
      const target = await lab.server({host: network.targetAddress, namespace: network.targetNamespace})
      return {jump, target, filteredPort: network.filteredPort}
    },
    killProcessesOf: (user) => killHome(user.home),
    async stop() {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
    },
  }
  return lab
}

async function startServer(folder: string, name: string, wish: ServerWish): Promise<LabServer> {
  const keyFile = join(folder, `${name}_host_key`)
  const host = wish.host ?? '127.0.0.1'
  const port = wish.port ?? (wish.namespace === undefined ? await freePort(host) : 2222)
  let fingerprint = ''
  let child: ChildProcess | undefined

  const makeKey = async () => {
    await rm(keyFile, {force: true})
    await runCommand('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', keyFile])
    fingerprint = await fingerprintOf(keyFile)
    for (const kind of wish.moreKeys ?? []) await runCommand('ssh-keygen', ['-q', '-t', kind, '-N', '', '-f', `${keyFile}_${kind}`])
  }
  const start = async () => {
    const options = [
      ...(wish.options ?? []), `Port=${port}`, `ListenAddress=${host}`, `HostKey=${keyFile}`, ...(wish.moreKeys ?? []).map((kind) => `HostKey=${keyFile}_${kind}`), 'PidFile=none', 'MaxStartups=200', 'MaxSessions=100', 'StrictModes=no',
      'PermitRootLogin=yes', 'PasswordAuthentication=yes', 'UsePAM=no', 'LogLevel=QUIET', `AuthorizedKeysFile=${join(folder, 'authorized_keys')}`, 'UseDNS=no',
    ]
    const inside = wish.namespace === undefined ? [] : ['ip', 'netns', 'exec', wish.namespace]
    const [file = '', ...args] = [...inside, '/usr/sbin/sshd', '-D', '-e', '-f', '/dev/null', ...options.flatMap((option) => ['-o', option])]
    child = spawn(file, args, {stdio: ['ignore', 'ignore', 'inherit'], env: {PATH: '/usr/sbin:/usr/bin:/sbin:/bin'}})
    await untilListening(child, wish.namespace, host, port)
  }
  const kill = async () => {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ending = new Promise((resolve) => child?.once('exit', resolve))
    const sessions = await sessionsOf(child.pid)
    child.kill('SIGKILL')
    await ending
    sessions.forEach(killNow)
  }
  await makeKey()
  await start()
  return {
    host,
    port,
    fingerprint: () => fingerprint,
    fingerprintOf: (kind) => fingerprintOf(`${keyFile}_${kind}`),
    start,
    kill,
    async dropConnections() {
      if (child?.pid !== undefined) (await sessionsOf(child.pid)).forEach(killNow)
    },
    async replaceHostKey() {
      await kill()
      await makeKey()
      await start()
    },
    sessionCount: async () => (child?.pid === undefined ? 0 : (await childrenOf([child.pid])).length),
  }
}

async function fingerprintOf(keyFile: string): Promise<string> {
  return (await runCommand('ssh-keygen', ['-lf', `${keyFile}.pub`])).split(' ')[1] ?? ''
}

async function untilListening(child: ChildProcess, namespace: string | undefined, host: string, port: number): Promise<void> {
  const deadline = Date.now() + 15_000
  for (;;) {
    if (child.exitCode !== null) throw new Error(`sshd on ${host}:${port} ended with ${child.exitCode}`)
    const listening = namespace === undefined ? await answers(host, port) : (await runCommand('ip', ['netns', 'exec', namespace, 'ss', '-ltn'])).includes(`:${port} `)
    if (listening) return
    if (Date.now() > deadline) throw new Error(`sshd on ${host}:${port} does not listen`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({host, port})
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

export function freePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer()
    server.once('error', reject)
    server.listen(0, host, () => {
      const address = server.address()
      server.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}

async function childrenOf(parents: readonly number[]): Promise<{pid: number; name: string}[]> {
  const found: {pid: number; name: string}[] = []
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? []
    if (parents.includes(Number(rest.split(' ')[1]))) found.push({pid: Number(entry), name})
  }
  return found
}

// A session is one or two processes of sshd's own below the listener; what they started for the user is left alone.
async function sessionsOf(listener: number): Promise<number[]> {
  const own = (await childrenOf([listener])).map(({pid}) => pid)
  const inner = (await childrenOf(own)).filter(({name}) => name.startsWith('sshd')).map(({pid}) => pid)
  return [...inner, ...own]
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

async function killHome(home: string): Promise<void> {
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue
    const environment = await readFile(`/proc/${entry}/environ`, 'latin1').catch(() => '')
    const program = await readlink(`/proc/${entry}/exe`).catch(() => '')
    if (environment.split('\0').includes(`HOME=${home}`) && !program.includes('sshd')) killNow(Number(entry))
  }
}

interface LabNetwork {
  readonly jumpNamespace: string
  readonly targetNamespace: string
  readonly jumpAddress: string
  readonly targetAddress: string
  readonly filteredPort: number
}

// This machine ↔ jump namespace ↔ target namespace; no route leads past the jump host.
async function addNetwork(cleanups: (() => Promise<void>)[]): Promise<LabNetwork> {
  const id = `${(process.pid % 46_656).toString(36)}${Math.floor(Math.random() * 1296).toString(36)}`
  const [a, b] = [`mlj${id}`, `mlt${id}`]
  const [third, fourth] = [Math.floor(Math.random() * 250), Math.floor(Math.random() * 62) * 4]
  const address = (second: number, last: number) => `10.${second}.${third}.${fourth + last}`
  const ip = (...words: string[]) => runCommand('ip', words)
  for (const namespace of [a, b]) {
    await ip('netns', 'add', namespace)
    cleanups.push(async () => void (await ip('netns', 'del', namespace)))
    await ip('-n', namespace, 'link', 'set', 'lo', 'up')
  }
  await ip('link', 'add', `${a}h`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', a)
  await ip('addr', 'add', `${address(212, 1)}/30`, 'dev', `${a}h`)
  await ip('link', 'set', `${a}h`, 'up')
  await ip('-n', a, 'addr', 'add', `${address(212, 2)}/30`, 'dev', 'eth0')
  await ip('-n', a, 'link', 'set', 'eth0', 'up')
  await ip('-n', a, 'link', 'add', 'eth1', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', b)
  await ip('-n', a, 'addr', 'add', `${address(213, 1)}/30`, 'dev', 'eth1')
  await ip('-n', a, 'link', 'set', 'eth1', 'up')
  await ip('-n', b, 'addr', 'add', `${address(213, 2)}/30`, 'dev', 'eth0')
  await ip('-n', b, 'link', 'set', 'eth0', 'up')
  const filteredPort = 2299
  const nft = (...words: string[]) => ip('netns', 'exec', a, 'nft', ...words)
  await nft('add', 'table', 'inet', 'lab')
  await nft('add', 'chain', 'inet', 'lab', 'input', '{ type filter hook input priority 0; }')
  await nft('add', 'rule', 'inet', 'lab', 'input', 'tcp', 'dport', String(filteredPort), 'drop')
  return {jumpNamespace: a, targetNamespace: b, jumpAddress: address(212, 2), targetAddress: address(213, 2), filteredPort}
}
