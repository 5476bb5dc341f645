import {createHash, randomBytes} from 'node:crypto'
import {afterAll, beforeAll, describe, expect, it, onTestFinished} from 'vitest'
import {Events} from '../../../../daemon/events/records.js'
import {dockerHostsMissing, startDockerHosts, type DockerHosts} from '../../../lab/docker-hosts.js'
import {engineOver, type TestEngine} from '../../servers/engine/engine-fixture.js'
import {refuseWays} from '../../servers/engine/ways.js'
import {startLiveDaemon, type LiveDaemon} from './live-lab.js'
import {openTerminal, type OpenTerminal} from './terminal-client.js'

const users = {'socket': 'root', 'dial-stdio': 'sudoer', 'cli': 'member'} as const

describe.skipIf(dockerHostsMissing() !== null).each(['socket', 'dial-stdio', 'cli'] as const)('a terminal in a service by %s', (way) => {
  let lab: DockerHosts
  let reached: TestEngine
  beforeAll(async () => {
    lab = await startDockerHosts(1)
    const host = lab.host(1)
    if (way === 'cli') await refuseWays(host)
    reached = engineOver({lab, host, user: host.users[users[way]]})
  }, 90_000)
  afterAll(async () => {
    reached?.close()
    await lab?.stop()
  })

  async function served(): Promise<{daemon: LiveDaemon; path: string; open: (query: string, token?: string) => Promise<OpenTerminal>}> {
    const daemon = await startLiveDaemon(reached)
    const {projectId} = await daemon.deploy('Talk', [{name: 'talker', image: 'lab/base:1', commandArgv: ['sleep', '6000']}])
    onTestFinished(async () => void (await daemon.call('DELETE', `/api/projects/${projectId}`)))
    const path = `/api/projects/${projectId}/services/talker/terminal`
    return {daemon, path, open: (query, token = daemon.token) => openTerminal(`${daemon.url}${path}?${query}`, token)}
  }

  const running = async (args: string) => (await lab.host(1).run('ps -eo args')).split('\n').filter((line) => line.trim() === args).length

  it('shows what a shell says, has the size of the window, and ends as the shell did', async () => {
    const {open} = await served()
    const terminal = await open('columns=91&rows=33')
    terminal.type('tty; echo $TERM\n')
    await terminal.until(/\/dev\/pts[\s\S]*xterm/)
    const size = () => {
      terminal.type('stty size\n')
      return terminal.shown
    }
    // Engines that take no size before the start have it a moment later.
    await expect.poll(size, {timeout: 10_000}).toContain('33 91')
    terminal.tell({type: 'resize', columns: 120, rows: 40})
    await expect.poll(size, {timeout: 10_000}).toContain('40 120')
    terminal.type('exit 37\n')
    expect(await terminal.end()).toEqual({type: 'exit', exitCode: 37})
  }, 60_000)

  it('keeps both streams apart without a terminal, and passes on any bytes whole', async () => {
    const {open} = await served()
    const bytes = randomBytes(8_000_000)
    const copy = await open('tty=false&command=cat%3B+echo+done+%3E%262')
    copy.type(bytes)
    copy.tell({type: 'input-end'})
    expect(await copy.end()).toEqual({type: 'exit', exitCode: 0})
    expect([createHash('sha256').update(copy.stdout).digest('hex'), copy.stderr.toString()]).toEqual([createHash('sha256').update(bytes).digest('hex'), 'done\n'])
    const words = await open('tty=false&argv=sh&argv=-c&argv=pwd%3B+id+-u%3B+exit+4&cwd=/tmp&user=65534')
    expect([await words.end(), words.stdout.toString()]).toEqual([{type: 'exit', exitCode: 4}, '/tmp\n65534\n'])
  }, 60_000)

  it('ends the command, and what it started in its session, once the caller is gone', async () => {
    const {open} = await served()
    const terminal = await open('')
    terminal.type('sleep 7411 & sleep 7412\n')
    const plain = await open('tty=false&command=sleep+7413+%26+sleep+7414')
    const all = async () => Promise.all(['sleep 7411', 'sleep 7412', 'sleep 7413', 'sleep 7414'].map(running))
    await expect.poll(all, {timeout: 10_000}).toEqual([1, 1, 1, 1])
    terminal.drop()
    plain.drop()
    await expect.poll(all, {timeout: 15_000}).toEqual([0, 0, 0, 0])
  }, 60_000)

  it('ends when its token is revoked, and says so', async () => {
    const {daemon, open} = await served()
    const made = (await daemon.call('POST', '/api/tokens', {name: 'short', fullAccess: true})).body.data
    const terminal = await open('command=sleep+7415', made.token)
    await expect.poll(() => running('sleep 7415'), {timeout: 10_000}).toBe(1)
    const {data: tokens} = (await daemon.call('GET', '/api/tokens')).body
    await daemon.call('DELETE', `/api/tokens/${tokens.find(({name}: {name: string}) => name === 'short').id}`)
    expect(await terminal.end()).toEqual({type: 'error', code: 'INVALID_TOKEN', error: 'the token was revoked'})
    await expect.poll(() => running('sleep 7415'), {timeout: 15_000}).toBe(0)
  }, 60_000)

  it('leaves in the audit trail who ran what where, and nothing of what was typed or shown', async () => {
    const {daemon, open} = await served()
    const terminal = await open('tty=false&command=read+x%3B+echo+said+%24x')
    terminal.type('planted-secret\n')
    await terminal.end()
    expect(terminal.stdout.toString()).toBe('said planted-secret\n')
    const told = []
    for await (const event of daemon.store.all(Events)) if (event.type.startsWith('service.terminal')) told.push(event)
    expect(told).toMatchObject([
      {type: 'service.terminal_opened', actor: {userId: expect.any(String)}, payload: {after: {service: 'talker', command: 'read x; echo said $x', tty: false}}},
      {type: 'service.terminal_closed', payload: {after: {service: 'talker', exitCode: 0, durationMs: expect.any(Number)}}},
    ])
    expect(JSON.stringify(told)).not.toContain('planted-secret')
  }, 60_000)
})
