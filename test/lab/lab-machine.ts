import {spawn, spawnSync, type ChildProcess} from 'node:child_process'
import {mkdir, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {childrenOf, killNow, labEnvironment, runCommand} from './lab-processes.js'

// A machine of the lab has its own processes, network, mounts, name and writable folders; programs and kernel are those of this machine.

export interface LabMachine {
  readonly name: string
  /** Its files as this machine sees them: `<folder>/etc` is its /etc. */
  readonly folder: string
  /** Its first process, as this machine counts. */
  readonly pid: number
  /** Words before a command that run it there. */
  readonly inside: readonly string[]
  /** Ends every process it has, at once. */
  stop(): Promise<void>
}

// /usr/local is one of them, so that nobody meets another docker than the package's there.
const ownFolders = ['etc', 'home', 'opt', 'root', 'run', 'srv', 'tmp', 'usr/local', 'var']

// `ip netns exec` would mount a /sys without cgroups. The machine lives as long as the pipe on its standard input: it goes with the test, however that ends.
// A refusal is always told, where Linux would tell one a second and leave the rest to time out.
const firstProcess = `set -eu
cd "$1"
for folder in ${ownFolders.join(' ')}; do mount --bind "$folder" "/$folder"; done
hostname "$2"
ip link set lo up
echo 0 >/proc/sys/net/ipv4/icmp_ratelimit
cd /
echo ready
exec tini -- cat`

const namespaces = ['--mount', '--propagation', 'private', '--net', '--uts', '--ipc', '--pid', '--mount-proc', '--fork', '--kill-child']

export async function startMachine(folder: string, name: string): Promise<LabMachine> {
  await makeFolders(folder)
  const child = spawn('unshare', [...namespaces, 'sh', '-c', firstProcess, 'sh', folder, name], {stdio: ['pipe', 'pipe', 'pipe'], env: labEnvironment})
  await untilReady(child, name)
  const [first] = await childrenOf([child.pid ?? 0])
  if (first === undefined) throw new Error(`the machine ${name} ended at once`)
  return {
    name,
    folder,
    pid: first.pid,
    inside: ['nsenter', '--all', '--target', String(first.pid)],
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ending = new Promise((resolve) => child.once('exit', resolve))
      killNow(first.pid)
      await ending
    },
  }
}

/** Why this machine can hold no other; null if it can. */
export function machinesMissing(): string | null {
  const {status, stderr} = spawnSync('unshare', [...namespaces, 'ip', 'link', 'set', 'lo', 'up'], {env: labEnvironment, encoding: 'utf8'})
  return status === 0 ? null : `no namespaces can be made: ${stderr.trim()}`
}

async function makeFolders(folder: string): Promise<void> {
  const folders = [...ownFolders, 'run/sshd', 'var/cache', 'var/lib', 'var/log']
  for (const name of folders) await mkdir(join(folder, name), {recursive: true, mode: name === 'root' ? 0o700 : 0o755})
  for (const name of ['tmp', 'run/lock', 'var/tmp']) {
    await mkdir(join(folder, name), {recursive: true})
    await runCommand('chmod', ['1777', join(folder, name)])
  }
  await symlink('/run', join(folder, 'var/run'))
  await symlink('/run/lock', join(folder, 'var/lock'))
  await copyEtc(join(folder, 'etc'))
}

// Other labs add and remove users meanwhile: what vanishes during the copy is not missed, and their locks and leave are not taken along.
async function copyEtc(etc: string): Promise<void> {
  const without = ['./*.lock', './.pwd.lock', './docker', './sudoers.d/moorage-lab-*', './resolv.conf', './hosts', './hostname'].map((pattern) => `--exclude=${pattern}`)
  await runCommand('sh', ['-c', 'to=$1; shift; tar -C /etc "$@" -c . 2>/dev/null | tar -x -C "$to"', 'sh', etc, ...without])
  await mkdir(join(etc, 'sudoers.d'), {recursive: true})
  await writeFile(join(etc, 'hosts'), '127.0.0.1 localhost\n')
}

function untilReady(child: ChildProcess, name: string): Promise<void> {
  let errors = ''
  return new Promise((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text))
    child.stdout?.once('data', () => resolve())
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the machine ${name} ended with ${code}: ${errors}`)))
  })
}
