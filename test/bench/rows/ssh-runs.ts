import {randomBytes} from 'node:crypto'
import path from 'node:path'
import type {DurableCommand, Runner} from '../../../daemon/servers/runner.js'
import {hopTo, labPool, labRunner, runnerTo, targetOf} from '../../lab/ssh-target.js'
import {startOpenSsh, type OpenSshLab} from '../../lab/openssh.js'
import {missingPart} from '../../lab/require-part.js'
import type {LabUser} from '../../lab/lab-users.js'
import {byTurns, type Measurement, type Row} from '../measure.js'
import {timeProgram} from '../processes.js'

const rounds = 15
const serversAtOnce = 50

export const sshRuns: Row = {
  name: 'ssh-runs',
  async measure() {
    const missing = missingPart('OpenSSH', ['sshd', 'ssh', 'ssh-keygen', 'useradd', 'parallel-ssh'])
    if (missing !== null) return [{row: 'durable runs over SSH', missing}]
    const lab = await startOpenSsh()
    try {
      const user = await lab.user()
      return [await oneWarm(lab, user), await manyAtOnce(lab, user)]
    } finally {
      await lab.stop()
    }
  },
}

/** Starts `true` durably, follows it to its end and clears up, as a run of a job does. */
async function runTrue(runner: Runner): Promise<void> {
  const id = `jrun_${randomBytes(12).toString('base64url')}`
  const command: DurableCommand = {
    id, script: 'true', env: {}, timeoutMs: null, killGraceMs: 5000, outputLimitBytes: 1_000_000, separateStderr: false,
  }
  const signal = AbortSignal.timeout(60_000)
  const end = await runner.durable.run(command, {from: {output: 0, stderr: 0}, onChunk: async () => undefined, signal})
  if (end.exitCode !== 0) throw new Error(`true ended with ${String(end.exitCode)}`)
  await runner.durable.remove(id, signal)
}

async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const sshOptions = (lab: OpenSshLab) => [
  '-F', '/dev/null', '-i', lab.keyFile, '-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR',
]

async function oneWarm(lab: OpenSshLab, user: LabUser): Promise<Measurement> {
  const server = await lab.server()
  const pool = labPool()
  const runner = labRunner(lab, server, user, pool)
  const control = path.join(lab.folder, 'control')
  const target = ['-p', String(server.port), `${user.name}@${server.host}`]
  const ssh = [...sshOptions(lab), '-o', `ControlPath=${control}`, ...target]
  await timeProgram('ssh', ['-o', 'ControlMaster=yes', '-o', 'ControlPersist=60', '-f', '-N', ...ssh])
  try {
    await runTrue(runner)
    const {ours, peer} = await byTurns(rounds, {
      ours: () => elapsed(() => runTrue(runner)),
      peer: () => timeProgram('ssh', [...ssh, 'true']),
    })
    return {row: 'durable run of true over warm SSH, to a control master', ours, peer, unit: 'ms', figure: ours / peer, required: {atMost: 2}}
  } finally {
    await timeProgram('ssh', ['-O', 'exit', ...ssh]).catch(() => undefined)
    pool.close()
  }
}

/** Each address is a server of its own to both sides; one sshd answers them all, without any connection made before. */
async function manyAtOnce(lab: OpenSshLab, user: LabUser): Promise<Measurement> {
  const server = await lab.server({host: '0.0.0.0'})
  const hosts = Array.from({length: serversAtOnce}, (_, index) => `127.0.9.${index + 1}`)
  const ours = async () => {
    const pool = labPool()
    try {
      const runners = hosts.map((host) => runnerTo(targetOf([hopTo(server, user, {method: 'key', privateKey: lab.key}, {host})], {serverId: `srv_${host}`}), pool))
      return await elapsed(() => Promise.all(runners.map(runTrue)))
    } finally {
      pool.close()
    }
  }
  const pssh = [
    ...hosts.flatMap((host) => ['-H', `${user.name}@${host}:${server.port}`]), '-p', String(serversAtOnce), '-t', '60', '-x', sshOptions(lab).join(' '), 'true',
  ]
  const times = await byTurns(5, {ours, peer: () => timeProgram('parallel-ssh', pssh)})
  return {row: `durable run on ${serversAtOnce} servers at once, to pssh`, ours: times.ours, peer: times.peer, unit: 'ms', figure: times.ours / times.peer, required: {atMost: 1}}
}
