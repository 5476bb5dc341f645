import {spawn} from 'node:child_process'
import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {startGitHttp, type GitCredentials} from './git-http.js'
import {gitEnvironment, makeRepository, type CommitWish, type GitRepository} from './git-repository.js'
import {answers, freePort} from './lab-ports.js'
import {killNow, runCleanups, runCommand, untilTrue} from './lab-processes.js'
import type {LabUser} from './lab-users.js'
import type {OpenSshLab} from './openssh.js'
import {missingPart} from './require-part.js'
import type {LabServer} from './sshd.js'

// Real git servers, all for the same repositories: `git daemon`, HTTP with and without a password, and SSH. For a file of tests:
//   const git = sharedPart(startGitServers); … await git.repository('shop', [{message: 'first', files: {…}}])

/** Null where the machine has all that is needed; give it to `describe.skipIf`. */
export function gitServersMissing(): string | null {
  return missingPart('git servers', ['git'])
}

export interface GitServers {
  readonly folder: string
  /** What the private address asks for. */
  readonly credentials: GitCredentials
  repository(name: string, commits?: readonly CommitWish[]): Promise<GitRepository>
  daemonUrl(name: string): string
  httpUrl(name: string): string
  /** Answers 401 without the credentials, which the address does not hold. */
  privateUrl(name: string): string
  /** The same repositories through an SSH server of the lab. */
  overSsh(lab: OpenSshLab): Promise<GitOverSsh>
  stop(): Promise<void>
}

export interface GitOverSsh {
  readonly server: LabServer
  /** Not root, and lets the keys of the lab in. */
  readonly user: LabUser
  url(name: string): string
  /** The same in the short form, `user@host:path`, for a client that knows the port. */
  scpUrl(name: string): string
}

/** `address` is where they listen: the loopback, or the gateway of Docker hosts so that the hosts reach them. */
export async function startGitServers({address = '127.0.0.1'}: {readonly address?: string} = {}): Promise<GitServers> {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-git-'))
  const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, {recursive: true, force: true})]
  try {
    // Another user than its owner reads it over SSH.
    await runCommand('chmod', ['755', folder])
    const credentials = {user: 'reader', password: 'p@ss:word/1'}
    const daemonPort = await startDaemon({folder, address, cleanups})
    const [open, guarded] = await Promise.all([startGitHttp({folder, address}), startGitHttp({folder, address, credentials})])
    cleanups.push(open.close, guarded.close)
    return {
      folder,
      credentials,
      repository: (name, commits) => makeRepository(folder, name, commits),
      daemonUrl: (name) => `git://${address}:${daemonPort}/${name}.git`,
      httpUrl: (name) => `http://${address}:${open.port}/${name}.git`,
      privateUrl: (name) => `http://${address}:${guarded.port}/${name}.git`,
      overSsh: (lab) => serveOverSsh(folder, lab),
      stop: () => runCleanups(cleanups),
    }
  } catch (error) {
    await runCleanups(cleanups)
    throw error
  }
}

async function startDaemon({folder, address, cleanups}: {folder: string; address: string; cleanups: (() => Promise<unknown>)[]}): Promise<number> {
  const port = await freePort(address)
  // By its own path, as `git daemon` would be one more process that outlives a kill.
  const program = join((await runCommand('git', ['--exec-path'])).trim(), 'git-daemon')
  const words = [`--listen=${address}`, `--port=${port}`, `--base-path=${folder}`, '--export-all', '--reuseaddr', '--informative-errors', folder]
  // It tells about each client that goes too early; tests are full of them.
  const child = spawn(program, words, {stdio: 'ignore', env: gitEnvironment})
  cleanups.push(async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ending = new Promise((resolve) => child.once('exit', resolve))
    killNow(child.pid)
    await ending
  })
  await untilTrue(async () => {
    if (child.exitCode !== null) throw new Error(`git daemon on ${address}:${port} ended with ${child.exitCode}`)
    return answers(address, port)
  }, {what: `git daemon on ${address}:${port} to listen`})
  return port
}

async function serveOverSsh(folder: string, lab: OpenSshLab): Promise<GitOverSsh> {
  const [server, user] = await Promise.all([lab.server(), lab.user({isRoot: false})])
  // Git serves what somebody else owns only where the reader said that it may.
  await writeFile(join(user.home, '.gitconfig'), `[safe]\n\tdirectory = *\n`)
  return {
    server,
    user,
    url: (name) => `ssh://${user.name}@${server.host}:${server.port}${folder}/${name}.git`,
    scpUrl: (name) => `${user.name}@${server.host}:${folder}/${name}.git`,
  }
}
