import {appendFile, mkdtemp, readdir, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {basename, join} from 'node:path'
import {startDockerHost, type DockerHost} from './docker-host.js'
import {makeImageArchive} from './docker-images.js'
import {cgroupsLike, removeCgroups, thaw} from './lab-cgroups.js'
import {makeKeys, type LabKeys} from './lab-keys.js'
import {machinesMissing, startMachine} from './lab-machine.js'
import {addNetwork, removeStaleNetworks, type LabNetwork} from './lab-network.js'
import {isAlive, runCleanups, runCommand} from './lab-processes.js'
import {missingPart} from './require-part.js'

// Real Docker hosts on this machine: each a machine of the lab with its own engine, SSH server, users and files, on one network. For a file of tests:
//   const lab = sharedPart(() => startDockerHosts(2)); … lab.host(1)

/** Null where the machine has all that is needed; give it to `describe.skipIf`. */
export function dockerHostsMissing(): string | null {
  const programs = ['dockerd', 'docker', 'docker-compose', 'tini', 'iptables', 'busybox', 'ip', 'nsenter', 'unshare', 'sshd', 'ssh', 'ssh-keygen', 'useradd', 'openssl', 'sudo']
  return missingPart('Docker hosts', programs, {probe: machinesMissing})
}

export interface DockerHosts extends LabKeys {
  readonly folder: string
  /** This machine's address for the hosts: what listens there they can reach. */
  readonly gateway: string
  readonly bridge: string
  readonly hosts: readonly DockerHost[]
  /** Host 1, 2, … */
  host(number: number): DockerHost
  stop(): Promise<void>
}

type Cleanups = (() => Promise<unknown>)[]

const labPattern = /^moorage-docker-(\d+)-/

export async function startDockerHosts(count: number): Promise<DockerHosts> {
  // What another lab takes away meanwhile may be missed in the middle; a later start finds the rest.
  await removeStale().catch(() => undefined)
  const cleanups: Cleanups = []
  try {
    return await start(count, cleanups)
  } catch (error) {
    await runCleanups(cleanups)
    throw error
  }
}

async function start(count: number, cleanups: Cleanups): Promise<DockerHosts> {
  const folder = await mkdtemp(join(tmpdir(), `moorage-docker-${process.pid}-`))
  cleanups.push(() => rm(folder, {recursive: true, force: true, maxRetries: 3}))
  await runCommand('chmod', ['755', folder])
  const network = await addNetwork(basename(folder))
  cleanups.push(() => network.remove(), () => removeCgroups(basename(folder)))
  const [keys, images] = await Promise.all([makeKeys(folder), makeImageArchive(folder)])
  const numbers = Array.from({length: count}, (_, index) => index + 1)
  // All of them have come to an end before anything is taken down again.
  const started = await Promise.allSettled(numbers.map((number) => startHost(number, {folder, network, keys, images, count, cleanups})))
  const hosts = started.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
  return {
    ...keys,
    folder,
    gateway: network.gateway,
    bridge: network.bridge,
    hosts,
    host(number) {
      const host = hosts[number - 1]
      if (host === undefined) throw new Error(`the lab has ${hosts.length} Docker hosts; there is no host ${number}`)
      return host
    },
    stop: () => runCleanups(cleanups),
  }
}

interface HostParts {
  readonly folder: string
  readonly network: LabNetwork
  readonly keys: LabKeys
  readonly images: string
  readonly count: number
  readonly cleanups: Cleanups
}

async function startHost(number: number, {folder, network, keys, images, count, cleanups}: HostParts): Promise<DockerHost> {
  const cgroup = basename(folder)
  const machine = await startMachine(join(folder, `docker-${number}`), `docker-${number}`)
  cleanups.push(async () => {
    await thaw(cgroup)
    await machine.stop()
  })
  await network.attach(machine, number)
  const names = Array.from({length: count}, (_, index) => `${network.addressOf(index + 1)} docker-${index + 1}\n`)
  await appendFile(join(machine.folder, 'etc/hosts'), names.join(''))
  // No DNS server is there: a look-up is refused at once, in a container too.
  await writeFile(join(machine.folder, 'etc/resolv.conf'), `nameserver ${network.addressOf(number)}\noptions timeout:1 attempts:1\n`)
  const host = await startDockerHost({machine, address: network.addressOf(number), keys, cgroup})
  await host.docker('load', '--input', images)
  return host
}

// What a lab leaves whose test process was killed. Its machines have ended with it.
async function removeStale(): Promise<void> {
  const isStale = (name: string) => {
    const pid = labPattern.exec(name)?.[1]
    return pid !== undefined && !isAlive(Number(pid))
  }
  await removeStaleNetworks(isStale)
  for (const name of (await cgroupsLike(labPattern)).filter(isStale)) await removeCgroups(name).catch(() => undefined)
  for (const name of (await readdir(tmpdir())).filter(isStale)) await rm(join(tmpdir(), name), {recursive: true, force: true}).catch(() => undefined)
}
