import {describe, expect, test} from 'vitest'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {commandModules, loadCommand, runCommand} from './run-command.js'

// What holds for every command there is, also for those that come later.

const ids = [...commandModules.keys()].sort()

/** What a command needs besides its required arguments, so that it gets as far as it can without a daemon. */
const further: Readonly<Record<string, readonly string[]>> = {
  'daemon run': ['--time-zone', 'Nowhere/None'],
  'daemon start': ['--time-zone', 'Nowhere/None', '--timeout', '1ms'],
  'jobs create': ['--server', 'web-1', '--command', 'true'],
  'servers add': ['--agent'],
  'members update': ['--role', 'admin'],
  'tokens create': ['--full-access'],
}

const samples: Readonly<Record<string, string>> = {shell: 'bash', address: 'root@203.0.113.7', email: 'kim@example.com', method: '/jobs', file: '/nowhere/jobs.yaml'}

async function argumentsOf(id: string): Promise<string[]> {
  const command = await loadCommand(id)
  const args = Object.entries(command.args ?? {}).flatMap(([name, arg]) => (arg.required === true ? [samples[name] ?? 'web-1'] : []))
  return [...id.split(' '), ...args, ...(further[id] ?? [])]
}

const unreachable = {MOORAGE_URL: 'http://127.0.0.1:9', MOORAGE_TOKEN: 'moor_pat_planted'}

describe.each(ids)('%s', (id) => {
  test('with --json and a closed stdin writes exactly one JSON document, whatever happens', async () => {
    const home = await temporaryFolder()
    const {stdout, stderr, exitCode} = await runCommand([...(await argumentsOf(id)), '--json', '--no-start'], {home, variables: unreachable})
    const document = JSON.parse(stdout)
    expect(typeof document).toBe('object')
    if (exitCode !== 0) {
      expect(Object.keys(document.error)).toEqual(['code', 'message', 'status', 'requestId', 'details', 'suggestions'])
      expect([1, 2, 4, 8]).toContain(exitCode)
      expect(document.error.code).not.toBe('INTERNAL')
    }
    expect(stdout + stderr).not.toContain('moor_pat_planted')
  })

  test('ends the same way without --json, with nothing on stdout when it fails', async () => {
    const home = await temporaryFolder()
    const {stdout, stderr, exitCode} = await runCommand([...(await argumentsOf(id)), '--no-start'], {home, variables: unreachable})
    if (exitCode === 0) return
    expect(stdout.includes('error')).toBe(false)
    expect(stderr).toMatch(/error: .+ \([A-Z_]+\)/)
  })

  test('is described: summary, every flag and argument, and an example', async () => {
    const command = await loadCommand(id)
    expect(command.summary).toMatch(/^[a-z][^\n]*[^.\n]$/)
    expect(command.examples?.length ?? 0).toBeGreaterThan(0)
    for (const [name, part] of [...Object.entries(command.flags ?? {}), ...Object.entries(command.args ?? {})]) {
      expect(part.description ?? '', `${name} of ${id}`).toMatch(/\S/)
      expect(part.description ?? '', `${name} of ${id}`).not.toMatch(/\.$/)
    }
  })

  test('takes one required argument at most', async () => {
    const command = await loadCommand(id)
    expect(Object.values(command.args ?? {}).filter((arg) => arg.required === true).length).toBeLessThanOrEqual(1)
  })
})

test('a flag of one name means the same in every command', async () => {
  const shared = ['yes', 'dry-run', 'wait', 'follow', 'timestamps', 'limit', 'all', 'cursor', 'server'] as const
  for (const name of shared) {
    const chars = new Set<string | undefined>()
    for (const id of ids) {
      const flag = (await loadCommand(id)).flags?.[name]
      if (flag !== undefined) chars.add(flag.char)
    }
    expect(chars.size, name).toBe(1)
  }
})
