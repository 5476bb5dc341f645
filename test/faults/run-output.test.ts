import {execFile} from 'node:child_process'
import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {promisify} from 'node:util'
import {expect, it} from 'vitest'
import {RunLab} from '../daemon/jobs/executor-fixture.js'

const run = promisify(execFile)

async function bytesOf(lab: RunLab, runId: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of (await lab.outputs.find(runId))?.bytes() ?? []) pieces.push(piece)
  return Buffer.concat(pieces)
}

it('stores NUL bytes, broken UTF-8 and ANSI as they came, and shows them cleaned', async () => {
  const lab = await RunLab.open()
  const ended = await lab.run(await lab.addJob({key: 'custom:a', command: String.raw`printf 'a\000b\377\355\240\200 \033[31mred\033[0m\r\n\302'`}))
  expect(ended.status).toBe('success')
  expect(await bytesOf(lab, ended.id)).toEqual(Buffer.from('610062ffeda080201b5b33316d7265641b5b306d0d0ac2', 'hex'))
  const summary = await (await lab.outputs.find(ended.id))?.summary(1000)
  expect(summary).toContain('red')
  expect(summary).not.toMatch(/[\u0000\ud800]/)
})

it('takes a line of 10 MB whole, in pieces', async () => {
  const lab = await RunLab.open()
  const ended = await lab.run(await lab.addJob({key: 'custom:a', command: 'head -c 10485760 /dev/zero | tr "\\000" x; echo; echo end'}))
  expect(ended.outputBytes).toBe(10_485_760 + 5)
  const bytes = await bytesOf(lab, ended.id)
  expect(bytes.subarray(-6).toString()).toBe('x\nend\n')
  const log = await lab.outputs.find(ended.id)
  let longest = 0
  let whole = 0
  for await (const {line} of log?.lines({}) ?? []) {
    longest = Math.max(longest, line.length)
    whole += line.length
  }
  expect(longest).toBe(32_768)
  expect(whole).toBe(10_485_760 + 3)
})

it('keeps the first bytes and the end of what is too much, says how much is missing, and lets the command go on', async () => {
  const lab = await RunLab.open()
  const limit = 100_000
  const ended = await lab.run(await lab.addJob({key: 'custom:a', command: 'seq 1 500000; echo the end; exit 3', outputLimitBytes: limit}))
  expect(ended).toMatchObject({status: 'failed', exitCode: 3})
  const text = (await bytesOf(lab, ended.id)).toString()
  const full = Array.from({length: 500_000}, (_, index) => `${index + 1}\n`).join('') + 'the end\n'
  const [note, missing] = /\n?… (\d+) bytes were not kept …\n/.exec(text) ?? []
  expect(text.startsWith(full.slice(0, limit))).toBe(true)
  expect(text.endsWith(full.slice(-65_536))).toBe(true)
  expect(Number(missing)).toBe(full.length - limit - 65_536)
  expect(text.length).toBe(limit + 65_536 + (note?.length ?? 0))
})

it('holds the limit over all attempts and shows the end of the last', async () => {
  const lab = await RunLab.open()
  const ended = await lab.run(await lab.addJob({key: 'custom:a', command: 'seq 1 5000; echo "end of $JOB_ATTEMPT"; exit 1', outputLimitBytes: 2000, retry: {maxAttempts: 3, backoffSeconds: 0}}))
  const text = await lab.outputOf(ended.id)
  expect(text).toContain('── retry 3/3 ──')
  expect(text.endsWith('end of 3\n')).toBe(true)
  expect(text.length).toBeLessThan(2000 + 3 * (65_536 + 200))
})

it.each([
  ['forks and goes on by itself', 'sleep 30 & echo $! >"$PID"; echo done; exit 5', 5],
  ['closes its output', 'echo done; exec >&- 2>&-; sleep 0.3; exit 6', 6],
  ['goes into the background with a session of its own', 'setsid sleep 30 & echo $! >"$PID"; echo done; exit 7', 7],
])('ends with the command that %s', async (_, command, exitCode) => {
  const lab = await RunLab.open()
  const pidFile = join(lab.home, 'pid')
  const ended = await lab.run(await lab.addJob({key: 'custom:a', command, env: {PID: pidFile}}))
  expect(ended).toMatchObject({status: 'failed', endReason: 'exit', exitCode})
  expect(await lab.outputOf(ended.id)).toBe('done\n')
  const left = Number(await readFile(pidFile, 'utf8').catch(() => '0'))
  if (left > 0) process.kill(left)
})

it('shows a secret nowhere: not in output, stored files, the process list, nor the environment of others', async () => {
  const lab = await RunLab.open()
  const planted = `pl4nted'"%s $(id)\n-----second line of it-----\n${'k'.repeat(2000)}`
  const short = 'Sw0rd/+='
  const command = 'printf "%s\\n" "$LONG"; printf %s "$SHORT"; printf %s "$SHORT" | base64; printf %s "$LONG" | base64 -w0; echo; printf %s "$SHORT" >"$SEEN"; sleep 1'
  const started = await lab.request({job: await lab.addJob({key: 'custom:a', command, env: {SEEN: join(lab.home, 'seen.txt')}}, {LONG: planted, SHORT: short}), trigger: 'manual'})
  await lab.hasOutput(started.id, '***')
  const {stdout: processes} = await run('ps', ['axww', '-o', 'args'])
  const ended = await lab.ended(started.id)
  expect(ended.status).toBe('success')
  expect(await readFile(join(lab.home, 'seen.txt'), 'utf8')).toBe(short)
  const needles = [short, 'pl4nted', 'second line of it', 'k'.repeat(2000), Buffer.from(short).toString('base64'), encodeURIComponent(short)]
  // The run folder on the server holds the output as it came until it is fetched.
  await lab.until(async () => (await readdir(join(lab.home, 'folders', 'srv_local'))).length === 0, 'the end of the run folder')
  const output = await lab.outputOf(ended.id)
  const stored = await readAll(lab.home, ['seen.txt', 'secret.key'])
  for (const needle of needles) {
    expect(output, 'output').not.toContain(needle)
    expect(processes, 'processes').not.toContain(needle)
    expect(JSON.stringify([ended, await lab.events()]), 'records').not.toContain(needle)
    expect(stored.includes(needle), `stored files hold ${needle}`).toBe(false)
  }
})

it('gives a secret of 64 KB to the command whole', async () => {
  const lab = await RunLab.open()
  const secret = Array.from({length: 4096}, (_, index) => `%${index}'"\n`.padEnd(16, 'z')).join('')
  const ended = await lab.run(await lab.addJob({key: 'custom:a', command: 'printf %s "$BIG" | sha256sum | cut -d" " -f1'}, {BIG: secret}))
  const {createHash} = await import('node:crypto')
  expect(await lab.outputOf(ended.id)).toBe(`${createHash('sha256').update(secret).digest('hex')}\n`)
})

async function readAll(folder: string, except: readonly string[]): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (const entry of await readdir(folder, {recursive: true, withFileTypes: true})) {
    if (entry.isFile() && !except.includes(entry.name)) pieces.push(await readFile(join(entry.parentPath, entry.name)))
  }
  return Buffer.concat(pieces)
}
