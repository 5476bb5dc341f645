import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {findCollisions, refuseCollisions} from '../../../../daemon/projects/deployments/check-ports.js'
import {parseFree} from '../../../../daemon/projects/deployments/check-disk.js'
import {chooseServices, type RouteFacts} from '../../../../daemon/projects/deployments/choose-services.js'
import {chooseSource} from '../../../../daemon/projects/deployments/choose-source.js'
import {InterruptionMeter} from '../../../../daemon/projects/deployments/interruption-meter.js'
import {judgeContainer} from '../../../../daemon/projects/deployments/judge-container.js'
import {keptTag} from '../../../../daemon/projects/deployments/release-folders.js'
import {isSameCommit} from '../../../../daemon/projects/deployments/same-commit.js'
import type {ContainerFacts} from '../../../../daemon/servers/engine/engine.js'
import {labelNames} from '../../../../src/compose/release.js'
import {diffLines} from '../../../../src/text/diff-lines.js'

describe('which services a deployment is about', () => {
  const services = [{serviceId: 'web', context: 'web'}, {serviceId: 'api', context: 'api'}, {serviceId: 'cache', context: null}]
  const facts = (changedPaths: string[] | null, more: Partial<RouteFacts> = {}): RouteFacts => ({services, changedPaths, commitMessage: null, composeFolder: 'deploy', sharedPaths: [], ...more})
  const smart = {forceAll: false, targetServiceIds: null, smartRoute: true}
  const chosen = (paths: string[] | null, more: Partial<RouteFacts> = {}) => {
    const {only, reason} = chooseServices(smart, facts(paths, more))
    return [only === null ? 'all' : [...only].join(), reason]
  }

  it.each([
    [['web/src/a.ts'], 'web', 'changed'],
    [['web', 'api/x'], 'web,api', 'changed'],
    [['webserver/x'], 'all', 'changed'],
    [['package.json'], 'all', 'config-touched'],
    [['deploy/compose.yml'], 'web,api,cache', 'changed'],
    [[], 'all', 'changed'],
    [null, 'all', 'changed'],
  ])('%j are the files of %s', (paths, only, reason) => expect(chosen(paths)).toEqual([only, reason]))

  it('are all where a shared folder or the message of the commit says so', () => {
    expect(chosen(['libs/a.ts'], {sharedPaths: ['libs/*']})).toEqual(['all', 'shared-touched'])
    expect(chosen(['web/a'], {commitMessage: 'fix [Redeploy-All]'})).toEqual(['all', 'forced'])
  })

  it('are those that were named, before anything else', () => {
    expect(chooseServices({forceAll: true, targetServiceIds: ['api'], smartRoute: true}, facts(['web/a']))).toEqual({only: new Set(['api']), reason: 'manual', isForced: true})
  })
})

describe('ports of the host', () => {
  const taken = (hostAddress: string, port: number, labels = {}) => ({hostAddress, port, protocol: 'tcp' as const, by: 'nginx', labels})
  const wanted = (hostAddress: string | null, hostPort: number | null) => [{service: 'web', hostAddress, hostPort, containerPort: 80, protocol: 'tcp' as const}]

  it.each([
    [null, 80, '127.0.0.1', 1], ['127.0.0.1', 80, '0.0.0.0', 1], ['127.0.0.1', 80, '10.0.0.1', 0], ['127.0.0.1', 80, '127.0.0.1', 1], [null, null, '0.0.0.0', 0], [null, 81, '0.0.0.0', 0],
  ])('%s:%s beside %s:80 collides %s times', (address, port, held, count) => expect(findCollisions(wanted(address, port), [taken(held, 80)])).toHaveLength(count))

  it('of the same project are no collision', () => {
    expect(() => refuseCollisions(wanted(null, 80), [taken('0.0.0.0', 80, {[labelNames.project]: 'proj_1'})], 'proj_1')).not.toThrow()
    expect(() => refuseCollisions(wanted(null, 80), [taken('0.0.0.0', 80)], 'proj_1')).toThrow('port 80/tcp of web is taken by nginx; nothing was stopped')
  })
})

describe('a container', () => {
  const base: ContainerFacts = {
    id: 'c', name: 'c', imageId: 'i', imageRef: 'i', labels: {}, state: 'running', health: null, healthOutput: null, exitCode: null, outOfMemory: false, restartCount: 0, pid: null, startedAt: null, finishedAt: null, addresses: {}, ports: [],
  }
  const expected = {mayEnd: false, ranMs: 0, settleMs: 1000, listens: false, sawOutOfMemory: false}
  it.each([
    ['runs but not yet for long', {}, {}, {kind: 'wait', forMs: 125}],
    ['has nearly run long enough', {}, {ranMs: 990}, {kind: 'wait', forMs: 10}],
    ['takes connections', {}, {ranMs: 300, listens: true}, {kind: 'up'}],
    ['listens but is still being asked', {health: 'starting'}, {ranMs: 300, listens: true}, {kind: 'wait', forMs: null}],
    ['has run long enough', {}, {ranMs: 1000}, {kind: 'up'}],
    ['is healthy', {health: 'healthy'}, {}, {kind: 'up'}],
    ['is still being asked', {health: 'starting'}, {ranMs: 99_999}, {kind: 'wait', forMs: null}],
    ['ended well and may', {state: 'exited', exitCode: 0}, {mayEnd: true}, {kind: 'up'}],
    ['was started again once', {state: 'restarting', exitCode: 1, restartCount: 1}, {}, {kind: 'wait', forMs: null}],
  ] as const)('that %s is judged so', (_what, facts, more, verdict) => expect(judgeContainer({...base, ...facts}, {...expected, ...more})).toEqual(verdict))

  it.each([
    [{state: 'exited', exitCode: 0}, {}, 'ended with code 0 although it should go on'],
    [{state: 'restarting', exitCode: 2, restartCount: 3}, {}, 'keeps ending with code 2 and being started again'],
    [{state: 'exited', exitCode: 137, outOfMemory: true}, {}, 'ran out of memory and was killed: it used more than it may'],
    [{state: 'restarting', exitCode: 137}, {sawOutOfMemory: true}, 'ran out of memory and was killed: it used more than it may'],
    [{health: 'unhealthy', healthOutput: 'refused\n'}, {}, 'never became healthy; its health check says: refused'],
  ] as const)('%j fails', (facts, more, why) => expect(judgeContainer({...base, ...facts}, {...expected, ...more})).toMatchObject({kind: 'failed', why}))
})

it('measures an interruption from the end of what ran to the first good health check', () => {
  const meter = new InterruptionMeter()
  const event = (action: string, at: string) => meter.take({kind: 'container', action, containerId: 'c', labels: {[labelNames.service]: 'web'}, at})
  expect(meter.interruptionMs()).toBe(null)
  event('die', '2026-01-01T00:00:00.000Z')
  event('die', '2026-01-01T00:00:01.000Z')
  event('health_status: healthy', '2026-01-01T00:00:03.500Z')
  meter.up('web', {health: 'healthy', startedAt: '2026-01-01T00:00:02.000Z'})
  expect(meter.interruptionMs()).toBe(3500)
})

it('takes an upload that was named before what the project says it is', () => {
  const project = {sourceKind: 'git' as const, gitProvider: 'gitlab' as const, gitUrl: null, gitOwner: 'acme', gitRepo: 'shop', localPath: null, image: 'a', uploadId: 'old'}
  expect(chooseSource(project, 'new')).toEqual({kind: 'upload', uploadId: 'new'})
  expect(chooseSource(project, null)).toEqual({kind: 'git', url: 'https://gitlab.com/acme/shop.git'})
  expect(chooseSource({...project, sourceKind: 'image'}, null)).toEqual({kind: 'image', image: 'a'})
  expect(chooseSource({...project, gitOwner: null, image: null, uploadId: null}, null)).toEqual({kind: 'services'})
})

it('tells commits apart by at least seven hexadecimal digits', () => {
  expect(isSameCommit('abcdef1', 'ABCDEF1234')).toBe(true)
  expect(isSameCommit('abcdef', 'abcdef1234')).toBe(false)
  expect(isSameCommit('main-branch', 'main-branch')).toBe(false)
  expect(isSameCommit(null, 'abcdef1')).toBe(false)
})

it('makes tags that an engine takes, whatever the service is called', () => {
  fc.assert(fc.property(fc.string({unit: 'binary', maxLength: 60}), (name) => /^moorage\/[a-z0-9]+(?:-+[a-z0-9]+)*:dep_x$/.test(keptTag({slug: 'shop'}, name, 'dep_x'))))
})

it('reads the free bytes of df, and nothing else for them', () => {
  expect(parseFree('Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda1 100 40 60 40% /\n')).toBe(60 * 1024)
  expect(parseFree('df: no such file')).toBe(undefined)
})

describe('a diff of lines', () => {
  it('is empty for equal texts, and as diff -u prints it otherwise', () => {
    expect(diffLines('a\nb\n', 'a\nb\n', {from: 'x', to: 'y'})).toBe('')
    expect(diffLines('a\nb\nc\n', 'a\nB\nc\n', {from: 'x', to: 'y'})).toBe('--- x\n+++ y\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n')
  })

  it('holds every line that is only in one of the two', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), {maxLength: 30})
    fc.assert(fc.property(lines, lines, (one, other) => {
      const text = diffLines(one.join('\n'), other.join('\n'), {from: 'x', to: 'y'}).split('\n').slice(2)
      const balance = text.filter((line) => line.startsWith('+')).length - text.filter((line) => line.startsWith('-')).length
      return balance === other.length - one.length
    }))
  })
})
