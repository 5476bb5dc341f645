import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import {describe, expect, onTestFinished, test} from 'vitest'
import {apiUrl} from '../../../src/cli/call-api.js'
import {parseAddress} from '../../../src/cli/connection-input.js'
import {toJobKey, withJobKey} from '../../../src/cli/job-key.js'
import {collectPages} from '../../../src/cli/list-pages.js'
import {parsePairs, readSecrets} from '../../../src/cli/pairs.js'
import {parseGrant} from '../../../src/cli/parse-grant.js'
import {toTerminalText} from '../../../src/cli/run-lines.js'
import {findSimilarCommands} from '../../../src/cli/similar-commands.js'
import {Fault} from '../../../src/contract/faults.js'

describe('parseGrant', () => {
  test.each([
    ['project:*:create', {resourceType: 'project', resourceId: '*', permissions: ['create']}],
    ['server:srv_1:read,write', {resourceType: 'server', resourceId: 'srv_1', permissions: ['read', 'write']}],
    ['job:custom:nightly-backup:read', {resourceType: 'job', resourceId: 'custom:nightly-backup', permissions: ['read']}],
    ['server:srv_1:read,read', {resourceType: 'server', resourceId: 'srv_1', permissions: ['read']}],
  ])('reads %s', (text, grant) => {
    expect(parseGrant(text)).toEqual(grant)
  })

  test.each(['', 'project', 'project:*', ':*:read', 'project::read', 'project:*:', 'project:*:own', 'project:*:read,'])('refuses %j', (text) => {
    expect(() => parseGrant(text)).toThrowError(Fault)
  })
})

describe('parsePairs', () => {
  test('keeps everything after the first equals sign', () => {
    expect(parsePairs(['A=1', 'B=', 'C=x=y z'], '--env')).toEqual({A: '1', B: '', C: 'x=y z'})
  })

  test.each([[['A']], [['=x']], [['A=1', 'A=2']]])('refuses %j without showing a value', (texts) => {
    expect(() => parsePairs(texts, '--env')).toThrowError(/--env/)
  })
})

describe('readSecrets', () => {
  test('takes values from variables and files, without the last line ending', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'moorage-test-'))
    onTestFinished(() => rm(folder, {recursive: true}))
    const file = path.join(folder, 'key')
    await writeFile(file, 'line 1\nline 2\n')
    expect(await readSecrets(['TOKEN'], [`KEY=${file}`], {TOKEN: 'a=b\n'})).toEqual({TOKEN: 'a=b\n', KEY: 'line 1\nline 2'})
  })

  test('names the variable or file that is not there', async () => {
    await expect(readSecrets(['TOKEN'], [], {})).rejects.toMatchObject({code: 'USAGE', message: expect.stringContaining('TOKEN is not set')})
    await expect(readSecrets([], ['KEY=/nowhere/x'], {})).rejects.toMatchObject({code: 'USAGE', message: expect.stringContaining('/nowhere/x')})
  })
})

describe('parseAddress', () => {
  test.each([
    ['web-1.example.com', {sshHost: 'web-1.example.com'}],
    ['deploy@203.0.113.7:2222', {sshHost: '203.0.113.7', sshUser: 'deploy', sshPort: 2222}],
    ['[2001:db8::1]:22', {sshHost: '2001:db8::1', sshPort: 22}],
    ['2001:db8::1', {sshHost: '2001:db8::1'}],
    ['root@2001:db8::1', {sshHost: '2001:db8::1', sshUser: 'root'}],
  ])('reads %s', (text, parts) => {
    expect(parseAddress(text)).toEqual(parts)
  })

  test.each(['', '@host', 'a b', 'host:port', 'host:', 'a@b@c'])('refuses %j', (text) => {
    expect(() => parseAddress(text)).toThrowError(/\[user@\]host\[:port\]/)
  })
})

describe('apiUrl', () => {
  const base = 'https://ops.example.com/base'
  test.each([
    ['/api/jobs', '/base/api/jobs'], ['/jobs', '/base/api/jobs'], ['jobs', '/base/api/jobs'], ['api/jobs?limit=5', '/base/api/jobs?limit=5'],
    ['/jobs/custom:a', '/base/api/jobs/custom:a'], ['/api', '/base/api'], ['/apiary', '/base/api/apiary'],
  ])('takes %s as %s', (given, expected) => {
    const url = apiUrl(base, given, {})
    expect(url.pathname + url.search).toBe(expected)
  })

  test.each(['https://evil.example', '//evil.example/x', '/../../admin', '/api/../../admin', '/jobs/%2e%2e/%2e%2e/%2e%2e/x', '\\\\evil', 'javascript:alert(1)'])('never leaves the base with %s', (given) => {
    expect(() => apiUrl(base, given, {})).toThrowError(Fault)
  })
})

describe('withJobKey', () => {
  const missing = () => Promise.reject(new Fault('NOT_FOUND', 'Not found'))
  test('takes a bare name for a custom job first', async () => {
    expect(await withJobKey('nightly-backup', (key) => Promise.resolve(key))).toBe('custom:nightly-backup')
  })

  test('then for a key that looks like a name', async () => {
    expect(await withJobKey('retention-prune-daily', (key) => (key.startsWith('custom:') ? missing() : Promise.resolve(key)))).toBe('retention-prune-daily')
  })

  test('says what it did not find, and lets other failures be', async () => {
    await expect(withJobKey('a', missing)).rejects.toMatchObject({message: 'no job a', suggestions: ['jobs list']})
    await expect(withJobKey('a', () => Promise.reject(new Fault('FORBIDDEN', 'no')))).rejects.toMatchObject({code: 'FORBIDDEN'})
  })

  test('toJobKey leaves whole keys alone', () => {
    expect([toJobKey('a'), toJobKey('ssl:renew')]).toEqual(['custom:a', 'ssl:renew'])
  })
})

describe('collectPages', () => {
  const pages = (total: number) => {
    const asked: number[] = []
    const fetchPage = ({limit, cursor}: {limit: number; cursor: string | undefined}) => {
      asked.push(limit)
      const from = Number(cursor ?? 0)
      const data = Array.from({length: Math.min(limit, total - from)}, (_, index) => from + index)
      const end = from + data.length
      return Promise.resolve({data, pageInfo: {hasNextPage: end < total, endCursor: end < total ? String(end) : null}})
    }
    return {asked, fetchPage}
  }

  test.each([
    [{}, 50, '50', [50]], [{limit: 3}, 3, '3', [3]], [{limit: 250}, 250, '250', [200, 50]], [{all: true}, 450, null, [200, 200, 200]], [{limit: 500}, 450, null, [200, 200, 100]],
  ])('with %j gives %i rows', async (flags, count, next, limits) => {
    const {asked, fetchPage} = pages(450)
    const result = await collectPages(flags, fetchPage)
    expect({count: result.items.length, next: result.next, asked}).toEqual({count, next, asked: limits})
  })

  test('goes on after a cursor', async () => {
    const {fetchPage} = pages(10)
    expect((await collectPages({cursor: '8'}, fetchPage)).items).toEqual([8, 9])
  })
})

test('output on a terminal keeps colour and loses everything that steers', () => {
  expect(toTerminalText('\u001B[31mred\u001B[0m\ttab\u001B[2J\u001B[10;1Hx\u001B]0;title\u0007y\u0007\b\r\u009Bz\u001Bc')).toBe('\u001B[31mred\u001B[0m\ttabxyz')
})

test.each([[['statsu'], ['status']], [['jobs', 'lsit'], ['jobs list']], [['job', 'run', 'x'], ['jobs run']], [['qqqqqqqq'], []]])('%j suggests %j first', (typed, expected) => {
  expect(findSimilarCommands(typed, ['status', 'jobs list', 'jobs run', 'runs watch']).slice(0, 1)).toEqual(expected)
})
