import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {existsSync} from 'node:fs'
import {appendFile, open, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {describe, expect, onTestFinished, test} from 'vitest'
import {adviceForOldNode} from '../../bin/bootstrap.mjs'
import {app, manifest} from '../daemon/apps/app-fixture.js'
import {serving, startSource} from '../daemon/apps/source-server.js'
import {temporaryFolder} from '../daemon/start-test-daemon.js'

// The built program, as a shell starts it.

const program = fileURLToPath(new URL('../../bin/run.js', import.meta.url))

interface Ended {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | null
}

function start(argv: readonly string[], home: string, file = program) {
  const child = spawn(process.execPath, [file, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {PATH: process.env['PATH'], HOME: home, MOORAGE_HOME: home, MOORAGE_CONFIG_DIR: path.join(home, 'config'), MOORAGE_PORT: '0'},
  })
  const output = {stdout: '', stderr: ''}
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const ended = once(child, 'close').then(([code]): Ended => ({...output, code: code as number | null}))
  return {child, output, ended}
}

const run = (argv: readonly string[], home: string, file?: string) => start(argv, home, file).ended

/** A home whose daemon, if a test starts one, is stopped when the test is over. */
async function homeOfDaemon(): Promise<string> {
  const home = await temporaryFolder()
  onTestFinished(async () => {
    await run(['daemon', 'stop'], home)
  })
  return home
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('it did not come to that')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('the program', () => {
  test('says its version, for people and for scripts', async () => {
    const home = await temporaryFolder()
    expect((await run(['--version'], home)).stdout).toMatch(/^moorage\/\d+\.\d+\.\d+ \w+-\w+ node-v\d+/)
    expect(JSON.parse((await run(['--version', '--json'], home)).stdout)).toHaveProperty('version')
    expect(existsSync(path.join(home, 'daemon.json'))).toBe(false)
  })

  test('lists its topics without arguments and with --help', async () => {
    const home = await temporaryFolder()
    for (const argv of [[], ['--help']]) expect((await run(argv, home)).stdout).toMatch(/jobs[\s\S]*servers/)
  })

  test('works through a symbolic link', async () => {
    const home = await temporaryFolder()
    const link = path.join(home, 'moorage')
    await symlink(program, link)
    expect((await run(['context', 'list', '--json'], home, link)).stdout).toBe('{\n  "items": [],\n  "next": null\n}\n')
  })

  test('suggests a command for one that is none, and ends with 2', async () => {
    const home = await temporaryFolder()
    expect(await run(['jobs', 'lsit'], home)).toMatchObject({code: 2, stdout: '', stderr: expect.stringContaining('try: moorage jobs list')})
    const {stdout, code} = await run(['jobs', 'lsit', '--json'], home)
    expect({code, error: JSON.parse(stdout).error.code}).toEqual({code: 2, error: 'USAGE'})
  })

  test('ends with the exit code of a failure, with and without --json', async () => {
    const home = await temporaryFolder()
    expect((await run(['whoami', '--url', 'https://ops.example.com'], home)).code).toBe(4)
    expect((await run(['whoami', '--url', 'https://ops.example.com', '--json'], home)).code).toBe(4)
  })
})

test.each([['v18.20.0', true], ['v20.18.9', true], ['v20.19.0', false], ['v24.1.0', false]])('Node %s gets advice: %s', (version, advised) => {
  expect(adviceForOldNode(version) !== undefined).toBe(advised)
})

describe('wrong usage', () => {
  test.each([
    [['runs', 'list', '--limit', '0'], '--limit takes a number from 1 to 100000, not "0"', 'runs list --help'],
    [['runs', 'list', '--status', 'bad'], '--status=bad', 'runs list --help'],
    [['jobs', 'list', 'extra'], 'jobs list takes no argument: extra', 'jobs list --help'],
    [['servers', 'add'], 'ADDRESS is missing: [user@]host[:port]', 'servers add --help'],
    [['daemon', 'run', '--port', 'abc'], '--port: ', 'daemon run --help'],
    [['jobs', 'list', '--bogus'], 'there is no flag --bogus', 'jobs list --help'],
    [['tokens', 'create', 'x'], 'give --grant or --full-access', 'tokens create --help'],
    [['context', 'use', 'nope'], 'names the context nope', 'context list'],
  ])('%j is told in one line, with a command that helps', async (argv, said, next) => {
    const home = await temporaryFolder()
    const {stdout, stderr, code} = await run([...argv, '--no-start'], home)
    expect({stdout, code}).toEqual({stdout: '', code: 2})
    expect(stderr.split('\n')[0]).toContain(said)
    expect(stderr).toContain(`\ntry: moorage ${next}\n`)
    expect((await run(next.split(' '), home)).code).toBe(0)
  })
})

test('a job file is read by the built program too, and its mistake told with the line', async () => {
  const home = await temporaryFolder()
  const file = path.join(home, 'jobs.yaml')
  await writeFile(file, 'manifest: shop\njobs:\n  - name: a\n    label: A\n    command: "true"\n    bogus: 1\n')
  expect(await run(['jobs', 'apply', file, '--no-start'], home)).toMatchObject({code: 2, stderr: expect.stringContaining('jobs.yaml:6')})
})

test.runIf(existsSync('/dev/full')).each([['--help'], ['completion bash'], ['context list --json']])('%s says in one line that its output can not be written', async (line) => {
  const home = await temporaryFolder()
  const full = await open('/dev/full', 'w')
  const child = spawn(process.execPath, [program, ...line.split(' ')], {stdio: ['ignore', full.fd, 'pipe'], env: {PATH: process.env['PATH'], HOME: home}})
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = await once(child, 'close')
  await full.close()
  expect({code, first: stderr.split('\n')[0]}).toEqual({code: 1, first: expect.stringContaining('error: can not write the output')})
  expect(stderr).not.toContain('    at ')
})

test('every topic is described', async () => {
  const home = await temporaryFolder()
  const manifest = JSON.parse(await readFile(path.join(path.dirname(program), '..', 'oclif.manifest.json'), 'utf8'))
  const {oclif} = JSON.parse(await readFile(path.join(path.dirname(program), '..', 'package.json'), 'utf8'))
  const topics = new Set(Object.keys(manifest.commands).filter((id) => id.includes(':')).map((id) => id.split(':')[0] ?? ''))
  expect(Object.keys(oclif.topics).sort()).toEqual([...topics].sort())
  expect((await run(['completion', 'fish'], home)).stdout).toContain(oclif.topics.jobs.description)
})

describe('the local daemon', () => {
  test('is started by the first command, used by the next and stopped', async () => {
    const home = await homeOfDaemon()
    const first = await run(['status', '--json'], home)
    expect(first.code, first.stderr).toBe(0)
    const {pid} = JSON.parse((await run(['daemon', 'status', '--json'], home)).stdout)
    expect(JSON.parse((await run(['daemon', 'start', '--json'], home)).stdout)).toMatchObject({started: false, pid})
    expect(JSON.parse((await run(['daemon', 'stop', '--json'], home)).stdout)).toMatchObject({stopped: true, pid})
    expect((await run(['daemon', 'status'], home)).code).toBe(1)
    expect((await run(['daemon', 'stop'], home)).code).toBe(0)
  })

  test('is one, however many commands start it at the same moment', async () => {
    const home = await homeOfDaemon()
    const all = await Promise.all(['status', 'whoami', 'status'].map((command) => run([command, '--json'], home)))
    expect(all.map(({code}) => code), all.map(({stdout, stderr}) => stdout + stderr).join('')).toEqual([0, 0, 0])
    const urls = all.flatMap(({stdout}) => JSON.parse(stdout).url ?? [])
    expect(new Set(urls).size).toBe(1)
  })

  test('writes a log that only its owner reads, without the token', async () => {
    const home = await homeOfDaemon()
    await run(['daemon', 'start'], home)
    const token = (await readFile(path.join(home, 'local-token'), 'utf8')).trim()
    const log = path.join(home, 'logs', 'daemon.log')
    expect((await stat(log)).mode & 0o777).toBe(0o600)
    expect(await readFile(log, 'utf8')).not.toContain(token)
    expect((await run(['daemon', 'logs'], home)).stdout).toContain('the daemon listens on')
    const following = start(['daemon', 'logs', '--follow', '--tail', '0'], home)
    await until(() => following.child.exitCode === null && following.child.pid !== undefined)
    const adding = setInterval(() => void appendFile(log, 'one more line\n'), 100)
    await until(() => following.output.stdout.includes('one more line'))
    clearInterval(adding)
    following.child.kill('SIGINT')
    expect((await following.ended).code).toBe(130)
  })

  test('that does not come up shows why', async () => {
    const home = await homeOfDaemon()
    const {stdout, code} = await run(['daemon', 'start', '--time-zone', 'Nowhere/None', '--json'], home)
    const {error} = JSON.parse(stdout)
    expect({code, error: error.code}).toEqual({code: 1, error: 'DAEMON_START_FAILED'})
    expect(error.message).toContain('time')
    expect(error.details.log.join('\n')).toContain('CONFIGURATION')
  })

  test('run in the foreground says where it listens, refuses a second one on its home, and ends with 0 when told to stop', async () => {
    const home = await homeOfDaemon()
    const running = start(['daemon', 'run', '--json'], home)
    await until(() => running.output.stdout.includes('\n'))
    expect(JSON.parse(running.output.stdout)).toMatchObject({type: 'ready', home})
    const second = await run(['daemon', 'run', '--json'], home)
    expect({code: second.code, error: JSON.parse(second.stdout).error.code}).toEqual({code: 1, error: 'HOME_IN_USE'})
    expect((await run(['daemon', 'repair'], home)).stderr).toContain('HOME_IN_USE')
    running.child.kill('SIGTERM')
    const {stdout, code} = await running.ended
    expect({code, last: JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')}).toEqual({code: 0, last: {type: 'result', stopped: true}})
    expect(existsSync(path.join(home, 'daemon.json'))).toBe(false)
  })

  test('fetches a catalog from the address it is given', async () => {
    const home = await homeOfDaemon()
    const source = await startSource(serving(manifest([app('far')])))
    await run(['daemon', 'start', '--catalog-url', source.url.href], home)
    const {stdout, stderr, code} = await run(['apps', 'source', '--refresh', '--json'], home)
    expect({stderr, code, data: JSON.parse(stdout)}).toMatchObject({stderr: '', code: 0, data: {origin: 'remote', failure: null}})
  })

  test('takes the next free port where it is told to', async () => {
    const [one, two] = [await homeOfDaemon(), await homeOfDaemon()]
    const first = JSON.parse((await run(['daemon', 'start', '--json'], one)).stdout)
    const {port} = new URL(first.url)
    const second = JSON.parse((await run(['daemon', 'start', '--port', port, '--json'], two)).stdout)
    expect(second.url).not.toBe(first.url)
    expect((await run(['daemon', 'run', '--port', port, '--home', await temporaryFolder()], two)).stderr).toContain(port)
  })

  test('whose store is damaged says so, and is repaired after a yes with a copy kept', async () => {
    const home = await homeOfDaemon()
    for (const name of ['shop', 'blog', 'docs']) await run(['projects', 'create', name], home)
    await run(['daemon', 'stop'], home)
    expect((await run(['daemon', 'repair'], home)).stderr).toContain('nothing to repair')
    const journal = await damageJournal(home)
    const refused = JSON.parse((await run(['status', '--json'], home)).stdout)
    expect(refused.error).toMatchObject({code: 'DAEMON_START_FAILED', message: expect.stringContaining(path.basename(journal)), suggestions: ['moorage daemon repair --dry-run']})
    expect(await run(['daemon', 'repair'], home)).toMatchObject({code: 2, stderr: expect.stringContaining('--yes')})
    const repaired = JSON.parse((await run(['daemon', 'repair', '--yes', '--json'], home)).stdout)
    expect(repaired).toMatchObject({repaired: true, damages: [{file: expect.stringContaining(path.basename(journal))}]})
    expect(existsSync(repaired.copyFolder)).toBe(true)
    expect((await run(['status'], home)).code).toBe(0)
  })
})

/** Turns a byte in the middle of the journal. */
async function damageJournal(home: string): Promise<string> {
  const [name] = (await readdir(path.join(home, 'store'))).filter((file) => file.startsWith('journal'))
  const file = path.join(home, 'store', name ?? '')
  const bytes = await readFile(file)
  const middle = Math.floor(bytes.length / 2)
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  await writeFile(file, bytes)
  return file
}

test('a closed pipe ends a long answer without a word', async () => {
  const home = await temporaryFolder()
  const running = start(['completion', 'bash'], home)
  running.child.stdout.destroy()
  const {stderr, code} = await running.ended
  expect({stderr, code}).toEqual({stderr: '', code: 0})
})
