import {mkdir, mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {addHiddenNetwork} from './hidden-network.js'
import {makeKeys, type LabKeys} from './lab-keys.js'
import {killHome, runCleanups, runCommand} from './lab-processes.js'
import {addUser, removeStaleUsers, removeUser, type LabUser, type LabUserWish} from './lab-users.js'
import {missingPart} from './require-part.js'
import {startSshd, type LabServer, type ServerWish} from './sshd.js'

// Real OpenSSH servers on this machine, each with its own host key and port. For every test that needs a server:
//   const lab = await startOpenSsh(); const server = await lab.server(); … await lab.stop()

/** Null where the machine has all that is needed; give it to `describe.skipIf`. */
export function openSshMissing(): string | null {
  return missingPart('OpenSSH', ['sshd', 'ssh-keygen', 'useradd', 'openssl', 'sudo', 'ip', 'nft'])
}

export interface OpenSshLab extends LabKeys {
  readonly folder: string
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
  const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, {recursive: true, force: true})]
  await runCommand('chmod', ['755', folder])
  await mkdir('/run/sshd', {recursive: true})
  const keys = await makeKeys(folder)
  const unique = `ml-${process.pid}-`
  let count = 0

  const lab: OpenSshLab = {
    ...keys,
    folder,
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
      const server = await startSshd(folder, `s${count++}`, wish)
      cleanups.push(() => server.kill())
      return server
    },
    async hidden() {
      const network = await addHiddenNetwork(cleanups)
      const inside = (namespace: string) => ['ip', 'netns', 'exec', namespace]
      const jump = await lab.server({host: network.jumpAddress, inside: inside(network.jumpNamespace)})
      const target = await lab.server({host: network.targetAddress, inside: inside(network.targetNamespace)})
      return {jump, target, filteredPort: network.filteredPort}
    },
    killProcessesOf: (user) => killHome(user.home),
    stop: () => runCleanups(cleanups),
  }
  return lab
}
