import {spawn, type ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {mkdtemp, readFile, rm} from 'node:fs/promises'
import {createRequire} from 'node:module'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {createInterface} from 'node:readline'
import {build} from 'esbuild'
import {expect, onTestFinished} from 'vitest'
import {caller, type TestDaemon} from '../daemon/start-test-daemon.js'

export interface DaemonScript {
  readonly file: string
  remove(): Promise<void>
}

/** Bundles the whole daemon, so that a start costs what it costs an operator. */
export async function bundleDaemon(): Promise<DaemonScript> {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-daemon-'))
  const file = join(folder, 'daemon.mjs')
  const ssh2 = createRequire(import.meta.url).resolve('ssh2')
  await build({
    entryPoints: [join(import.meta.dirname, 'daemon-process.ts')], bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile: file, logLevel: 'error',
    banner: {js: "import {createRequire as __createRequire} from 'node:module'; const require = __createRequire(import.meta.url);"},
    alias: {'jsonc-parser': 'jsonc-parser/lib/esm/main.js'},
    // It looks for its files by path.
    plugins: [{name: 'ssh2', setup: (setup) => setup.onResolve({filter: /^ssh2$/}, () => ({path: ssh2, external: true}))}],
  })
  return {file, remove: () => rm(folder, {recursive: true, force: true})}
}

/** A daemon that is a process of its own. */
export class DaemonProcess {
  readonly log: string[] = []
  readonly call: TestDaemon['call'] = (...request) => this.#call(...request)
  url = ''
  token = ''
  #call: TestDaemon['call'] = () => Promise.reject(new Error('the daemon does not run'))

  private constructor(private readonly child: ChildProcess, private readonly home: string) {}

  /** Resolves when it listens; rejects with its log where it ends before. */
  static async start(script: DaemonScript, home: string, variables: Readonly<Record<string, string>> = {}): Promise<DaemonProcess> {
    const daemon = DaemonProcess.launch(script, home, variables)
    await daemon.ready()
    return daemon
  }

  static launch(script: DaemonScript, home: string, variables: Readonly<Record<string, string>> = {}): DaemonProcess {
    const env = {PATH: process.env['PATH'], MOORAGE_HOME: home, MOORAGE_PORT: '0', ...variables}
    const child = spawn(process.execPath, [script.file], {stdio: ['ignore', 'pipe', 'pipe'], env})
    onTestFinished(() => void child.kill('SIGKILL'))
    const daemon = new DaemonProcess(child, home)
    if (child.stderr !== null) createInterface(child.stderr).on('line', (line) => daemon.log.push(line))
    return daemon
  }

  async ready(): Promise<void> {
    if (this.child.stdout === null) throw new Error('no stdout')
    const lines = createInterface(this.child.stdout)
    const ended = once(this.child, 'close').then(() => {
      throw new Error(`the daemon ended: ${this.log.join('\n')}`)
    })
    ended.catch(() => undefined)
    const [url] = (await Promise.race([once(lines, 'line'), ended])) as [string]
    this.url = url
    this.token = (await readFile(join(this.home, 'local-token'), 'utf8')).trim()
    this.#call = caller(this.url, this.token)
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  kill(): Promise<number | null> {
    return this.#end('SIGKILL')
  }

  /** Answers the exit code. */
  stop(): Promise<number | null> {
    return this.#end('SIGTERM')
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    if (!this.isRunning) return this.child.exitCode
    const closed = once(this.child, 'close')
    this.child.kill(signal)
    await closed
    return this.child.exitCode
  }
}

export async function until(condition: () => Promise<boolean> | boolean, what: string, timeoutMs = 20_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`no ${what} within ${timeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** The id of the machine that the daemon runs on. */
export async function localServer(daemon: Pick<TestDaemon, 'call'>): Promise<string> {
  const {body} = await daemon.call('GET', '/api/system/servers')
  return body.find((server: {isLocal: boolean}) => server.isLocal).id
}

export async function createJob(daemon: Pick<TestDaemon, 'call'>, job: {readonly name: string; readonly command: string; readonly [field: string]: unknown}): Promise<void> {
  const {status, body} = await daemon.call('POST', '/api/jobs', {label: job.name, scheduleType: 'manual', ...job})
  expect(status, JSON.stringify(body)).toBe(201)
}

export async function startRun(daemon: Pick<TestDaemon, 'call'>, name: string): Promise<string> {
  const {status, body} = await daemon.call('POST', `/api/jobs/custom:${name}/run`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.runId
}

export async function showRun(daemon: Pick<TestDaemon, 'call'>, runId: string) {
  return (await daemon.call('GET', `/api/jobs/runs/${runId}`)).body.data
}

/** The run when it is over. */
export async function endedRun(daemon: Pick<TestDaemon, 'call'>, runId: string, timeoutMs = 30_000) {
  await until(async () => !['queued', 'running'].includes((await showRun(daemon, runId)).status), `end of ${runId}`, timeoutMs)
  return showRun(daemon, runId)
}

export async function outputOf(daemon: {readonly url: string; readonly token: string}, runId: string): Promise<string> {
  const response = await fetch(`${daemon.url}/api/jobs/runs/${runId}/output`, {headers: {authorization: `Bearer ${daemon.token}`}})
  return response.text()
}
