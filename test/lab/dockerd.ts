import {spawn, type ChildProcess} from 'node:child_process'
import {mkdir, open, readFile, writeFile} from 'node:fs/promises'
import {request} from 'node:http'
import {join} from 'node:path'
import type {LabMachine} from './lab-machine.js'
import {childrenOf, isAlive, labEnvironment, untilTrue} from './lab-processes.js'

export interface Dockerd {
  /** The engine's socket, as this machine sees it. */
  readonly socket: string
  start(): Promise<void>
  /** As `systemctl stop docker` would: the containers stop first. */
  stop(): Promise<void>
  /** kill -9: the containers go on, and nobody answers. */
  kill(): Promise<void>
  /** It goes silent: whoever asks waits. */
  pause(): Promise<void>
  resume(): Promise<void>
}

/** An engine with everything where a server has it: /run/docker.sock, /var/lib/docker, /etc/docker/daemon.json. */
export async function configureDockerd(machine: LabMachine, cgroup: string): Promise<Dockerd> {
  // Registries of the lab speak plain HTTP on its network.
  const settings = {'storage-driver': 'vfs', 'insecure-registries': ['10.214.0.0/16'], 'cgroup-parent': `/${cgroup}`, 'exec-opts': ['native.cgroupdriver=cgroupfs']}
  await mkdir(join(machine.folder, 'etc/docker'))
  await writeFile(join(machine.folder, 'etc/docker/daemon.json'), `${JSON.stringify(settings, null, 2)}\n`)
  const socket = join(machine.folder, 'run/docker.sock')
  let running: ChildProcess | undefined

  const daemonsOf = async () => (running?.pid === undefined || hasEnded(running) ? [] : (await childrenOf([running.pid])).map(({pid}) => pid))
  const send = async (signal: NodeJS.Signals) => {
    for (const pid of await daemonsOf()) process.kill(pid, signal)
  }
  const end = async (signal: NodeJS.Signals) => {
    if (running === undefined || hasEnded(running)) return
    const ending = new Promise((resolve) => running?.once('exit', resolve))
    const helpers = await childrenOf(await daemonsOf())
    await send(signal)
    await ending
    // Its containerd goes with it, a moment later. The next engine would take one that is about to go for its own, and wait for it in vain.
    await untilTrue(async () => !helpers.some(({pid}) => isAlive(pid)), {what: `the helpers of dockerd of ${machine.name} to end`})
  }
  return {
    socket,
    async start() {
      if (running !== undefined && !hasEnded(running)) return
      running = await launch(machine, socket)
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    pause: () => send('SIGSTOP'),
    async resume() {
      await send('SIGCONT')
      // nsenter stops with its child, and has to go on by itself.
      if (running !== undefined && !hasEnded(running)) running.kill('SIGCONT')
    },
  }
}

async function launch(machine: LabMachine, socket: string): Promise<ChildProcess> {
  const logFile = join(machine.folder, 'var/log/dockerd.log')
  const log = await open(logFile, 'a')
  const [program = '', ...words] = machine.inside
  const child = spawn(program, [...words, 'dockerd'], {stdio: ['ignore', log.fd, log.fd], env: labEnvironment})
  await log.close()
  await untilTrue(async () => {
    if (hasEnded(child)) throw new Error(`dockerd of ${machine.name} ended with ${child.exitCode}: ${(await readFile(logFile, 'utf8')).slice(-2000)}`)
    return isAnswering(socket)
  }, {what: `dockerd of ${machine.name}, which logs to ${logFile}`, withinMs: 45_000})
  return child
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

function isAnswering(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const ping = request({socketPath, path: '/_ping'}, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200))
    })
    ping.once('error', () => resolve(false)).end()
  })
}
