import {afterAll, beforeAll, expect, it} from 'vitest'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {bundleDaemon, createJob, DaemonProcess, localServer, until, type DaemonScript} from './daemon-fixture.js'

const kills = 30
const connections = 16

let script: DaemonScript
beforeAll(async () => {
  script = await bundleDaemon()
})
afterAll(() => script.remove())

/** What the daemon has answered to one connection, and what it was asked for last. */
class Writer {
  readonly projects = new Set<string>()
  readonly tokens = new Map<string, string>()
  /** Revoked, or asked to be. */
  readonly revoked = new Map<string, 'asked' | 'answered'>()
  label = 'l0'
  asked = 'l0'
  answers = 0
  #count = 0

  constructor(private readonly number: number) {}

  get job(): string {
    return `custom:job-${this.number}`
  }

  /** Writes until the daemon is gone. */
  async write(call: DaemonProcess['call'], turn: number): Promise<void> {
    for (;;) {
      const name = `t${turn}-w${this.number}-${this.#count++}`
      try {
        await this.#writeOnce(call, name)
      } catch (error) {
        // Only a connection that went away with the daemon ends it quietly.
        if (error instanceof TypeError) return
        throw error
      }
    }
  }

  async #writeOnce(call: DaemonProcess['call'], name: string): Promise<void> {
    const project = await call('POST', '/api/projects', {name})
    expect([project.status, project.body?.code]).toEqual([201, undefined])
    this.projects.add(name)
    this.asked = name
    expect((await call('PATCH', `/api/jobs/${this.job}`, {label: name})).status).toBe(200)
    this.label = name
    const token = await call('POST', '/api/tokens', {name, fullAccess: true})
    expect(token.status).toBe(201)
    this.tokens.set(token.body.data.id, token.body.data.token)
    this.answers += 3
    if (this.#count % 2 === 0) return
    this.revoked.set(token.body.data.id, 'asked')
    expect((await call('DELETE', `/api/tokens/${token.body.data.id}`)).status).toBeLessThan(300)
    this.revoked.set(token.body.data.id, 'answered')
    this.answers += 1
  }
}

async function projectNames(call: DaemonProcess['call']): Promise<Set<string>> {
  const names = new Set<string>()
  for (let cursor = ''; ; ) {
    const {body} = await call('GET', `/api/projects?limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
    for (const {name} of body.data) names.add(name)
    if (!body.pageInfo.hasNextPage) return names
    cursor = body.pageInfo.endCursor
  }
}

it('keeps every write that it has answered, at whatever moment it is killed', {timeout: 120_000}, async () => {
  const home = await temporaryFolder()
  let daemon = await DaemonProcess.start(script, home)
  const serverId = await localServer(daemon)
  const writers = Array.from({length: connections}, (_, number) => new Writer(number))
  for (const [number] of writers.entries()) await createJob(daemon, {name: `job-${number}`, label: 'l0', command: 'true', serverId})
  for (let kill = 0; kill < kills; kill += 1) {
    const before = writers.reduce((sum, {answers}) => sum + answers, 0)
    const writing = Promise.all(writers.map((writer) => writer.write(daemon.call, kill)))
    await until(() => writers.reduce((sum, {answers}) => sum + answers, 0) > before, 'answered write')
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 120))
    await daemon.kill()
    await writing
    daemon = await DaemonProcess.start(script, home)
    const {body} = await daemon.call('GET', '/api/jobs')
    const labels = new Map<string, string>(body.data.map(({key, label}: {key: string; label: string}) => [key, label]))
    for (const writer of writers) {
      expect([writer.label, writer.asked], `kill ${kill}`).toContain(labels.get(writer.job))
      writer.label = labels.get(writer.job) ?? ''
    }
  }
  const stored = await projectNames(daemon.call)
  const lost = writers.flatMap(({projects}) => [...projects]).filter((name) => !stored.has(name))
  expect(lost).toEqual([])
  const {body} = await daemon.call('GET', '/api/tokens')
  const revokedAt = new Map<string, string | null>(body.data.map((token: {id: string; revokedAt: string | null}) => [token.id, token.revokedAt]))
  for (const {tokens, revoked} of writers) {
    for (const id of tokens.keys()) {
      if (revoked.get(id) === 'asked') continue
      expect(revokedAt.get(id), id).toEqual(revoked.has(id) ? expect.any(String) : null)
    }
  }
  // A few of them, used: a revoked one is refused, the others are let in.
  for (const {tokens, revoked} of writers) {
    for (const [id, secret] of [...tokens].slice(-2)) {
      if (revoked.get(id) !== 'asked') expect((await daemon.call('GET', '/api/auth/whoami', undefined, secret)).status, id).toBe(revoked.has(id) ? 401 : 200)
    }
  }
  expect(writers.reduce((sum, {answers}) => sum + answers, 0)).toBeGreaterThan(kills * connections)
  expect(await daemon.stop()).toBe(0)
})
