import {spawn, type ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {createInterface} from 'node:readline'
import {build} from 'esbuild'
import {expect, it, onTestFinished} from 'vitest'
import {RunLab} from '../daemon/jobs/executor-fixture.js'

async function bundle(folder: string): Promise<string> {
  const outfile = join(folder, 'process.mjs')
  await build({entryPoints: [join(import.meta.dirname, 'run-process.ts')], bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile, logLevel: 'error'})
  return outfile
}

function start(script: string, home: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [script, home, ...args], {stdio: ['pipe', 'pipe', 'inherit']})
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no stdout')
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return line
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it('loses and doubles no byte of a run when the daemon is killed at many moments, and runs the command once', {timeout: 120_000}, async () => {
  const lab = await RunLab.open()
  const script = await bundle(lab.home)
  const secret = 'a-planted-secret'
  const command = 'echo x >>"$ONCE"; i=0; while [ $i -lt 600 ]; do i=$((i+1)); echo "$i $KEY ok"; sleep 0.01; done; exit 9'
  await lab.addJob({key: 'custom:a', command, env: {ONCE: join(lab.home, 'once')}}, {KEY: secret})
  await lab.stop()
  let child = start(script, lab.home, 'custom:a')
  const runId = await firstLine(child)
  for (let kills = 0; kills < 12; kills += 1) {
    await pause(40 + Math.random() * 500)
    await kill(child)
    child = start(script, lab.home)
  }
  await kill(child)
  await lab.start()
  expect(await lab.ended(runId)).toMatchObject({id: runId, status: 'failed', endReason: 'exit', exitCode: 9})
  expect(await lab.outputOf(runId)).toBe(Array.from({length: 600}, (_, index) => `${index + 1} *** ok\n`).join(''))
  expect(await readFile(join(lab.home, 'once'), 'utf8')).toBe('x\n')
})

it('follows 1 GB of output in bounded memory and keeps its beginning and end', {timeout: 240_000}, async () => {
  const lab = await RunLab.open()
  const script = await bundle(lab.home)
  const limit = 64 * 1024 * 1024
  await lab.addJob({key: 'custom:a', command: 'yes "all work and no play makes a dull line" | head -c 1073741824; echo; echo the end', outputLimitBytes: limit}, {KEY: 'a-planted-secret'})
  await lab.stop()
  const child = start(script, lab.home, 'custom:a')
  if (child.stdout === null) throw new Error('no stdout')
  const seen: number[] = []
  let runId = ''
  createInterface(child.stdout).on('line', (line) => (line.startsWith('rss ') ? seen.push(Number(line.slice(4))) : (runId = line)))
  await lab.until(async () => runId !== '', 'the run id')
  const ask = () => child.stdin?.write('?\n')
  const timer = setInterval(ask, 100)
  // Its folder goes when its end is stored.
  const folders = () => readdir(join(lab.home, 'folders', 'srv_local')).catch(() => [])
  await lab.until(async () => (await folders()).length > 0, 'the beginning of the run')
  await lab.until(async () => (await folders()).length === 0, 'the end of the run', 200_000)
  clearInterval(timer)
  await kill(child)
  await lab.start()
  const ended = await lab.ended(runId)
  expect(ended).toMatchObject({status: 'success', exitCode: 0})
  const text = await lab.outputOf(runId)
  expect(text.endsWith('\nthe end\n')).toBe(true)
  expect(text).toMatch(/… \d+ bytes were not kept …/)
  expect(text.length).toBeGreaterThan(limit)
  expect(text.length).toBeLessThan(limit + 66_000)
  expect(seen.length).toBeGreaterThan(10)
  expect(Math.max(...seen)).toBeLessThan(220 * 1024 * 1024)
})
