import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {configureDockerd} from './dockerd.js'
import type {LabKeys} from './lab-keys.js'
import type {LabMachine} from './lab-machine.js'
import {runCommand} from './lab-processes.js'
import {addUser, setRootPassword, type LabUser, type LabUserWish} from './lab-users.js'
import {runOverSsh, type CommandResult} from './ssh-command.js'
import {startSshd, type LabServer} from './sshd.js'

/** Users that every host has. */
export interface DockerHostUsers {
  readonly root: LabUser
  /** Reaches the engine through sudo alone, which asks for no password. */
  readonly sudoer: LabUser
  /** Is in the group of the engine's socket, and has no sudo. */
  readonly member: LabUser
  /** Has neither. */
  readonly guest: LabUser
}

export interface ImageWish {
  readonly name: string
  /** Starts from `scratch` or from an image of the lab. */
  readonly dockerfile: string
  /** The build context, path by path. */
  readonly files?: Readonly<Record<string, string | Buffer>>
}

export interface RunWish {
  readonly user?: LabUser
  readonly input?: string
}

export interface DockerHost {
  readonly name: string
  readonly address: string
  /** Its files as this machine sees them: `<folder>/root` is its /root. */
  readonly folder: string
  readonly sshd: LabServer
  readonly users: DockerHostUsers
  /** DOCKER_HOST of its engine for a client on this machine. */
  readonly dockerHost: string
  /** One more user; the home is on the host. */
  addUser(wish: Partial<LabUserWish> & {readonly name: string}): Promise<LabUser>
  /** Runs a command line over SSH, as root unless said otherwise, and answers with its output; fails as it does. */
  run(command: string, wish?: RunWish): Promise<string>
  /** The same for a command that may fail. */
  attempt(command: string, wish?: RunWish): Promise<CommandResult>
  /** Runs the docker client of this machine on the engine of the host. */
  docker(...words: readonly string[]): Promise<string>
  /** Answers with the id of the image. */
  buildImage(image: ImageWish): Promise<string>
  stopDockerd(): Promise<void>
  killDockerd(): Promise<void>
  startDockerd(): Promise<void>
  /** The engine goes silent: whoever asks waits. */
  pauseDockerd(): Promise<void>
  resumeDockerd(): Promise<void>
}

export interface DockerHostParts {
  readonly machine: LabMachine
  readonly address: string
  readonly keys: LabKeys
  readonly cgroup: string
}

/** Makes a Docker host of a machine that is on the network. */
export async function startDockerHost({machine, address, keys, cgroup}: DockerHostParts): Promise<DockerHost> {
  const dockerd = await configureDockerd(machine, cgroup)
  const users = await addUsers(machine)
  const [sshd] = await Promise.all([startHostSshd({machine, address, keys}), dockerd.start()])
  const dockerHost = `unix://${dockerd.socket}`
  const docker = (...words: readonly string[]) => runCommand('docker', words, {DOCKER_HOST: dockerHost, DOCKER_BUILDKIT: '0'})
  const attempt = (command: string, {user = users.root, input}: RunWish = {}) => runOverSsh({host: address, port: sshd.port, user: user.name, keyFile: keys.keyFile}, command, input)
  return {
    name: machine.name,
    address,
    folder: machine.folder,
    sshd,
    users,
    dockerHost,
    addUser: (wish) => addUserTo(machine, wish),
    attempt,
    async run(command, wish) {
      const {exitCode, stdout, stderr} = await attempt(command, wish)
      if (exitCode !== 0) throw new Error(`on ${machine.name}, \`${command}\` ended with ${exitCode}: ${stderr}${stdout}`)
      return stdout
    },
    docker,
    buildImage: (image) => buildImage(image, docker, dirname(machine.folder)),
    stopDockerd: dockerd.stop,
    killDockerd: dockerd.kill,
    startDockerd: dockerd.start,
    pauseDockerd: dockerd.pause,
    resumeDockerd: dockerd.resume,
  }
}

async function startHostSshd({machine, address, keys}: Pick<DockerHostParts, 'machine' | 'address' | 'keys'>): Promise<LabServer> {
  const folder = join(machine.folder, 'etc/ssh')
  await mkdir(folder, {recursive: true})
  await writeFile(join(folder, 'authorized_keys'), keys.authorizedKeys)
  const options = ['SetEnv=DOCKER_HOST=unix:///var/run/docker.sock', 'Subsystem=sftp internal-sftp']
  return startSshd(folder, 'lab', {host: address, port: 22, inside: machine.inside, folderInside: '/etc/ssh', options})
}

// One after the other: they write the same files.
async function addUsers(machine: LabMachine): Promise<DockerHostUsers> {
  return {
    root: await setRootPassword(machine.folder, passwordOf('root')),
    sudoer: await addUserTo(machine, {name: 'sudoer', sudo: 'without_password'}),
    member: await addUserTo(machine, {name: 'member', groups: ['docker']}),
    guest: await addUserTo(machine, {name: 'guest'}),
  }
}

function addUserTo(machine: LabMachine, wish: Partial<LabUserWish> & {readonly name: string}): Promise<LabUser> {
  return addUser({home: `/home/${wish.name}`, password: passwordOf(wish.name), ...wish, machine: machine.folder})
}

function passwordOf(name: string): string {
  return `pw ${name} '$x`
}

async function buildImage({name, dockerfile, files = {}}: ImageWish, docker: DockerHost['docker'], folder: string): Promise<string> {
  const context = await mkdtemp(join(folder, 'context-'))
  try {
    for (const [path, content] of Object.entries({...files, Dockerfile: dockerfile})) {
      await mkdir(dirname(join(context, path)), {recursive: true})
      await writeFile(join(context, path), content)
    }
    return (await docker('build', '--quiet', '--tag', name, context)).trim()
  } finally {
    await rm(context, {recursive: true, force: true})
  }
}
