import {spawn, type ChildProcess} from 'node:child_process'
import {createHash, randomBytes} from 'node:crypto'
import {once} from 'node:events'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {deployLab, type DeployLab} from '../daemon/projects/deployments/deploy-lab.js'
import {dockerHostsMissing, startDockerHosts, type DockerHosts} from '../lab/docker-hosts.js'

const program = fileURLToPath(new URL('../../bin/run.js', import.meta.url))
const onTerminal = fileURLToPath(new URL('../lab/parts/on-terminal.py', import.meta.url))

interface Started {
  readonly child: ChildProcess
  readonly stdout: () => Buffer
  readonly stderr: () => string
  type(bytes: string | Buffer): void
  until(pattern: RegExp): Promise<void>
  ended(): Promise<number | null>
}

// The built program, in a pipe and on a real terminal.
describe.skipIf(dockerHostsMissing() !== null)('services exec', {timeout: 180_000}, () => {
  let hosts: DockerHosts
  beforeAll(async () => {
    hosts = await startDockerHosts(1)
  })
  afterAll(() => hosts?.stop())

  async function deployed(): Promise<DeployLab & {exec(...words: string[]): Started; onTerminal(...words: string[]): Started}> {
    const lab = await deployLab(hosts, hosts.host(1))
    const {id} = await lab.folder('Talk', {talker: {image: 'lab/base:1', command: ['sleep', '6000']}})
    expect((await lab.deploy(id)).status).toBe('ready')
    const {home} = lab.daemon
    const env = {PATH: process.env['PATH'], HOME: home, MOORAGE_HOME: home, MOORAGE_CONFIG_DIR: path.join(home, 'config'), TERM: 'xterm'}
    const words = (more: readonly string[]) => [program, 'services', 'exec', 'talk/talker', ...more]
    return {
      ...lab,
      exec: (...more) => start(process.execPath, words(more), env),
      onTerminal: (...more) => start('python3', [onTerminal, process.execPath, ...words(more)], env),
    }
  }

  function start(file: string, words: readonly string[], env: NodeJS.ProcessEnv): Started {
    const child = spawn(file, words, {env, stdio: 'pipe'})
    const pieces = {stdout: [] as Buffer[], stderr: [] as Buffer[]}
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (piece: Buffer) => pieces[name].push(piece))
    const over = once(child, 'close').then(([code]) => code as number | null)
    onTestFinished(() => void child.kill('SIGKILL'))
    const stdout = () => Buffer.concat(pieces.stdout)
    child.stdin.on('error', () => undefined)
    return {
      child, stdout,
      stderr: () => Buffer.concat(pieces.stderr).toString(),
      type: (bytes) => void child.stdin.write(bytes),
      until: (pattern) => expect.poll(() => stdout().toString(), {timeout: 20_000}).toMatch(pattern),
      ended: () => over,
    }
  }

  const running = async (lab: DeployLab, args: string) => (await lab.host.run('ps -eo args')).split('\n').filter((line) => line.trim() === args).length

  test('opens a shell on a terminal, follows its window, passes every key on, and leaves the terminal as it was', async () => {
    const lab = await deployed()
    const shell = lab.onTerminal()
    await shell.until(/# /)
    const size = () => {
      shell.type('stty size\n')
      return shell.stdout().toString()
    }
    await expect.poll(size, {timeout: 20_000, interval: 300}).toContain('\n33 91\r\n')
    shell.child.kill('SIGUSR1')
    await expect.poll(size, {timeout: 20_000, interval: 300}).toContain('\n40 120\r\n')
    shell.type('sleep 7421\n')
    await expect.poll(() => running(lab, 'sleep 7421'), {timeout: 10_000}).toBe(1)
    shell.type('\u0003')
    await expect.poll(() => running(lab, 'sleep 7421'), {timeout: 10_000}).toBe(0)
    shell.type('exit 23\n')
    expect(await shell.ended()).toBe(23)
    expect(shell.stderr()).toBe('restored\n')
  })

  test('gives the terminal back where the connection drops, says so, and fails', async () => {
    const lab = await deployed()
    const shell = lab.onTerminal('--', 'sh', '-c', 'echo begun; exec sleep 7422')
    await shell.until(/begun/)
    await lab.daemon.daemon.stop()
    expect(await shell.ended()).toBe(1)
    expect([shell.stderr(), shell.stdout().toString()]).toEqual(['restored\n', expect.stringContaining('the daemon stops')])
    await expect.poll(() => running(lab, 'sleep 7422'), {timeout: 15_000}).toBe(0)
  })

  test('streams stdin in, and both streams out whole, in a pipe', async () => {
    const lab = await deployed()
    const bytes = randomBytes(12_000_000)
    const copy = lab.exec('--', 'cat; echo last >&2')
    copy.child.stdin?.end(bytes)
    expect(await copy.ended()).toBe(0)
    expect(createHash('sha256').update(copy.stdout()).digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect(copy.stderr()).toBe('last\n')
    const quiet = lab.exec('--user', '65534:65534', '--directory', '/tmp', '--', 'sh', '-c', 'id -g; pwd; read word || exit 9')
    quiet.child.stdin?.end()
    expect([await quiet.ended(), quiet.stdout().toString(), quiet.stderr()]).toEqual([9, '65534\n/tmp\n', expect.stringContaining('exit code 9')])
  })

  test('ends the command with whoever waits for it, and without a terminal opens no shell', async () => {
    const lab = await deployed()
    const killed = lab.exec('--', 'sleep', '7423')
    await expect.poll(() => running(lab, 'sleep 7423'), {timeout: 20_000}).toBe(1)
    killed.child.kill('SIGKILL')
    await expect.poll(() => running(lab, 'sleep 7423'), {timeout: 15_000}).toBe(0)
    const interrupted = lab.exec('--', 'sleep', '7424')
    await expect.poll(() => running(lab, 'sleep 7424'), {timeout: 20_000}).toBe(1)
    interrupted.child.kill('SIGINT')
    expect(await interrupted.ended()).toBe(130)
    await expect.poll(() => running(lab, 'sleep 7424'), {timeout: 15_000}).toBe(0)
    const limited = lab.exec('--run-timeout', '1s', '--', 'sleep', '7425')
    expect([await limited.ended(), limited.stderr()]).toEqual([1, expect.stringContaining('took too long')])
    const none = lab.exec()
    expect([await none.ended(), none.stderr()]).toEqual([2, expect.stringContaining('the command to run is missing')])
  })

  test('a reader that goes away ends the command quietly, and a slow one makes it wait', async () => {
    const lab = await deployed()
    const endless = lab.exec('--', 'yes', '7426')
    await endless.until(/7426/)
    endless.child.stdout?.destroy()
    await endless.ended()
    await expect.poll(() => running(lab, 'yes 7426'), {timeout: 15_000}).toBe(0)
    const slow = lab.exec('--', 'yes', '7427')
    await slow.until(/7427/)
    slow.child.stdout?.pause()
    const before = process.memoryUsage().rss
    // It can not get rid of what it writes: between two looks it has spent nothing on the processor.
    let spent = ''
    await expect.poll(async () => {
      const before = spent
      spent = (await lab.host.run('ps -eo time,args')).split('\n').filter((line) => line.trim().endsWith('yes 7427')).join()
      return spent !== '' && spent === before
    }, {timeout: 30_000, interval: 3000}).toBe(true)
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
    slow.child.kill('SIGTERM')
    await expect.poll(() => running(lab, 'yes 7427'), {timeout: 15_000}).toBe(0)
  })
})
