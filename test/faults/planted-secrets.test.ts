import {readdir, readFile} from 'node:fs/promises'
import path from 'node:path'
import {expect, it} from 'vitest'
import {startTestDaemon, type Answer, type TestDaemon} from '../daemon/start-test-daemon.js'

const planted = {
  password: 'pl4nted-pa55word-%-one',
  passphrase: 'pl4nted "passphrase" two',
  jobSecret: "pl4nted 'job' secret\nwith a second line, three",
  longSecret: `pl4nted-${'0123456789abcdef'.repeat(4096)}`,
}

// How a value may come out: as it is, a line of it, and the forms that programs make of it.
function formsOf(secret: string): string[] {
  const lines = secret.split('\n')
  return [...lines, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('base64').slice(0, -4), Buffer.from(secret).toString('hex')]
}

function expectClean(text: string, where: string): void {
  for (const [name, secret] of Object.entries(planted)) {
    for (const form of formsOf(secret)) expect(text.includes(form), `${name} in ${where}`).toBe(false)
  }
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, {recursive: true, withFileTypes: true})
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
}

// Everything that anybody on this machine may read of a process.
async function processList(): Promise<string> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.join('\n')
}

async function follow(daemon: TestDaemon, runId: string): Promise<{text: string; processes: string}> {
  const headers = {authorization: `Bearer ${daemon.token}`}
  const response = await fetch(`${daemon.daemon.url}/api/jobs/runs/${runId}/stream`, {headers})
  let text = ''
  let processes = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8')
    processes += await processList()
  }
  return {text, processes}
}

it('shows no planted secret in any answer, log line, process list or file', async () => {
  const daemon = await startTestDaemon()
  const answers: Answer[] = []
  const call = async (method: string, route: string, body?: unknown) => {
    const answer = await daemon.call(method, route, body)
    answers.push(answer)
    return answer.body
  }
  const server = {name: 'web-1', sshHost: '127.0.0.1', sshPort: 1, sshAuthMethod: 'password', sshPassword: planted.password, sshKeyPassphrase: planted.passphrase}
  const added = await call('POST', '/api/system/servers', server)
  await call('PATCH', `/api/system/servers/${added.id}`, {sshPassword: planted.password})
  await call('GET', `/api/system/servers/${added.id}/reachability`)
  await call('POST', '/api/system/test-connection', server)
  await call('POST', '/api/system/servers', {...server, sshPort: planted.password})
  await call('POST', '/api/system/servers', {...server, sshPrivateKey: planted.passphrase})

  const login = {host: 'registry.test:5000', username: 'deploy', password: planted.password}
  expect(await call('PUT', '/api/registries', login)).toMatchObject({data: {host: login.host}})
  await call('PUT', '/api/registries', {...login, host: planted.passphrase})
  await call('GET', '/api/registries')

  const [local] = await call('GET', '/api/system/servers')
  const command = 'echo "$ONE"; printf %s "$LONG" | base64 -w0; echo; echo "$ONE" >&2; printf "%s" "$LONG"; sleep 1'
  const job = {name: 'leaky', label: 'Leaky', command, serverId: local.id, scheduleType: 'manual', secrets: {ONE: planted.jobSecret, LONG: planted.longSecret}}
  expect(await call('POST', '/api/jobs', job)).toMatchObject({data: {actionConfig: {secrets: {ONE: '', LONG: ''}}}})
  await call('PATCH', '/api/jobs/custom:leaky', {secrets: {ONE: planted.jobSecret, LONG: planted.longSecret, 'not a name': planted.jobSecret}})
  const {runId} = (await call('POST', '/api/jobs/custom:leaky/run')).data
  const {text, processes} = await follow(daemon, runId)
  expect(text).toContain('event: complete')
  expectClean(text, 'the stream')
  expectClean(processes, 'the process list')
  expect(await call('GET', `/api/jobs/runs/${runId}`)).toMatchObject({data: {status: 'success'}})
  const output = await daemon.call('GET', `/api/jobs/runs/${runId}/output`)
  expectClean(String(output.body), 'the download')
  await call('GET', '/api/audit?limit=200')
  await call('GET', '/api/jobs')
  await daemon.daemon.stop()

  for (const answer of answers) expectClean(JSON.stringify(answer.body), 'an answer')
  expectClean(daemon.log.join('\n'), 'the log')
  const files = await filesUnder(daemon.home)
  expect(files.length).toBeGreaterThan(3)
  for (const file of files) {
    const content = await readFile(file, 'latin1')
    expectClean(content, file)
    const mayHoldToken = path.basename(file) === 'local-token'
    expect(content.includes(daemon.token), `the token in ${file}`).toBe(mayHoldToken)
  }
})
