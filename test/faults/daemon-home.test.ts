import {appendFile, open, readdir, readFile, stat, truncate} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {afterAll, beforeAll, expect, it} from 'vitest'
import {runCommand} from '../commands/run-command.js'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {bundleDaemon, DaemonProcess, type DaemonScript} from './daemon-fixture.js'

let script: DaemonScript
beforeAll(async () => {
  script = await bundleDaemon()
})
afterAll(() => script.remove())

const addProject = async (daemon: DaemonProcess, name: string) => expect((await daemon.call('POST', '/api/projects', {name})).status).toBe(201)
const projectsOf = async (daemon: DaemonProcess): Promise<string[]> => (await daemon.call('GET', '/api/projects?limit=200')).body.data.map(({name}: {name: string}) => name).sort()

async function lastSegment(home: string): Promise<string> {
  const names = (await readdir(join(home, 'store'))).filter((name) => name.startsWith('journal-')).sort()
  return join(home, 'store', names.at(-1) ?? '')
}

/** A home whose daemon was killed after these projects were made. */
async function killedHome(projects: readonly string[]): Promise<string> {
  const home = await temporaryFolder()
  const daemon = await DaemonProcess.start(script, home)
  for (const name of projects) await addProject(daemon, name)
  await daemon.kill()
  return home
}

it('refuses a second daemon on one home, naming the first, which goes on', async () => {
  const home = await temporaryFolder()
  const first = await DaemonProcess.start(script, home)
  const files = (await readdir(home)).sort()
  for (const [argv, stream] of [[['daemon', 'run'], 'stderr'], [['daemon', 'run', '--json'], 'stdout']] as const) {
    const refused = await runCommand([...argv, '--port', '0'], {home})
    expect(refused.exitCode).toBe(1)
    expect(refused[stream]).toContain(`another daemon (pid ${first.pid}, ${first.url}) uses ${home}`)
  }
  const second = DaemonProcess.launch(script, home)
  await expect(second.ready()).rejects.toThrow(`pid ${first.pid}`)
  expect((await readdir(home)).sort()).toEqual(files)
  await addProject(first, 'unaffected')
  expect(await first.stop()).toBe(0)
  const next = await DaemonProcess.start(script, home)
  expect(await projectsOf(next)).toEqual(['unaffected'])
})

it('lets one of several daemons that start at the same moment have the home', async () => {
  const home = await killedHome([])
  const daemons = Array.from({length: 5}, () => DaemonProcess.launch(script, home))
  const outcomes = await Promise.allSettled(daemons.map((daemon) => daemon.ready()))
  expect(outcomes.filter(({status}) => status === 'fulfilled')).toHaveLength(1)
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(String(outcome.reason)).toContain('another daemon (pid')
  const winner = daemons.find(({url}) => url !== '')
  expect((await winner?.call('GET', '/api/auth/whoami'))?.status).toBe(200)
  expect(await winner?.stop()).toBe(0)
})

it('cuts a torn end off the journal, says so, and has everything before it', async () => {
  const home = await killedHome(['one', 'two', 'three'])
  const segment = await lastSegment(home)
  const {size} = await stat(segment)
  // The beginning of a line, as a crash leaves it.
  await appendFile(segment, (await readFile(segment)).subarray(0, 30))
  const daemon = await DaemonProcess.start(script, home)
  expect(daemon.log.join('\n')).toMatch(/cut from the end of the journal.*tornBytes/)
  expect(await projectsOf(daemon)).toEqual(['one', 'three', 'two'])
  await addProject(daemon, 'four')
  await daemon.kill()
  // In the middle of a write that nobody was told of.
  await truncate(await lastSegment(home), size + 40)
  const again = await DaemonProcess.start(script, home)
  expect(await projectsOf(again)).toEqual(expect.arrayContaining(['one', 'three', 'two']))
  expect(await again.stop()).toBe(0)
})

it('refuses to start on a damaged journal, shows what a repair would lose, and starts after it', async () => {
  const home = await killedHome(['one', 'two', 'three'])
  const segment = await lastSegment(home)
  const bytes = await readFile(segment)
  const lineStart = bytes.lastIndexOf('\n', bytes.indexOf('"two"')) + 1
  const file = await open(segment, 'r+')
  await file.write('TWO', bytes.indexOf('"two"') + 1)
  await file.close()

  const refused = await runCommand(['daemon', 'run', '--port', '0'], {home})
  expect(refused.exitCode).not.toBe(0)
  for (const word of [basename(segment), String(lineStart), 'moorage daemon repair']) expect(refused.stderr).toContain(word)
  const damaged = await readFile(segment)

  const shown = await runCommand(['daemon', 'repair', '--dry-run', '--json'], {home})
  expect(shown.exitCode, shown.stdout).toBe(0)
  expect(JSON.parse(shown.stdout)).toMatchObject({repaired: false, damages: [{file: expect.stringContaining('journal-'), offset: lineStart}]})
  expect(JSON.parse(shown.stdout).lostTransactions).toBeGreaterThan(0)
  const unasked = await runCommand(['daemon', 'repair'], {home})
  expect(unasked.exitCode).toBe(2)
  expect(unasked.stderr).toContain('--yes')
  expect(await readFile(segment)).toEqual(damaged)

  const repaired = await runCommand(['daemon', 'repair', '--yes', '--json'], {home})
  expect(repaired.exitCode, repaired.stdout).toBe(0)
  const {copyFolder} = JSON.parse(repaired.stdout)
  expect(await readdir(copyFolder)).not.toEqual([])
  const daemon = await DaemonProcess.start(script, home)
  expect(await projectsOf(daemon)).not.toContain('TWO')
  expect(await projectsOf(daemon)).toContain('one')
  await addProject(daemon, 'four')
  const busy = await runCommand(['daemon', 'repair', '--yes'], {home})
  expect([busy.exitCode, busy.stderr]).toEqual([1, expect.stringContaining(`pid ${daemon.pid}`)])
  expect(await daemon.stop()).toBe(0)
})
