import {spawn, type ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {mkdtemp, readFile, rm} from 'node:fs/promises'
import {createServer, type AddressInfo} from 'node:net'
import {request} from 'node:http'
import os from 'node:os'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'

export const root = process.cwd()

/** Runs the work in a folder of its own, deleted afterwards. `parent` decides the disk. */
export async function inFolder<T>(work: (folder: string) => Promise<T>, parent = os.tmpdir()): Promise<T> {
  const folder = await mkdtemp(path.join(parent, 'moorage-bench-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, {recursive: true, force: true})
  }
}

/** Wall time of a program from start to end, in milliseconds. */
export async function timeProgram(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = process.env): Promise<number> {
  const start = performance.now()
  const child = spawn(command, args, {stdio: ['ignore', 'ignore', 'pipe'], env: environment})
  const chunks: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [code] = await once(child, 'exit')
  const elapsed = performance.now() - start
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${String(code)}: ${Buffer.concat(chunks).toString()}`)
  return elapsed
}

export interface Served {
  readonly url: string
  readonly pid: number
  readonly token: string
  /** From the start of the process to the first 200 on /api/health. */
  readonly startMs: number
  stop(): Promise<void>
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const {port} = server.address() as AddressInfo
  server.close()
  return port
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const ask = request({host: '127.0.0.1', port, path: '/api/health', agent: false}, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    ask.once('error', () => resolve(false))
    ask.end()
  })
}

/** A daemon in a process of its own, as built. */
export async function serve(home: string, environment: NodeJS.ProcessEnv = {}): Promise<Served> {
  const port = await freePort()
  const start = performance.now()
  const child = spawn(process.execPath, [path.join(root, 'test/bench/parts/daemon-process.mjs')], {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: {...process.env, MOORAGE_HOME: home, MOORAGE_PORT: String(port), ...environment},
  })
  const deadline = start + 120_000
  while (!(await answers(port))) {
    if (performance.now() > deadline || child.exitCode !== null) throw new Error('the daemon did not come up')
    await sleep(1)
  }
  const startMs = performance.now() - start
  const token = (await readFile(path.join(home, 'local-token'), 'utf8').catch(() => '')).trim()
  return {url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, token, startMs, stop: () => end(child)}
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}

/** A helper script of this folder that prints one line of JSON when it is ready, and goes on. */
export async function startPart(script: string, options: unknown): Promise<{child: ChildProcess; ready: Record<string, unknown>}> {
  const child = spawn(process.execPath, [path.join(root, 'test/bench/parts', script), JSON.stringify(options)], {stdio: ['ignore', 'pipe', 'inherit']})
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {child, ready: JSON.parse(line.toString()) as Record<string, unknown>}
}

/** Resident memory of a process in megabytes. */
export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}
