import {mkdir, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {startTestDaemon, temporaryFolder} from '../daemon/start-test-daemon.js'
import {fullDefinition} from '../src/catalog/full-definition.js'
import {json, startTestServer} from '../src/client/test-server.js'
import {runCommand, type RunOptions} from './run-command.js'

async function definition(change: object = {}) {
  const home = await temporaryFolder()
  const file = path.join(home, 'apps', 'paste-box.json')
  await mkdir(path.join(home, 'articles'))
  await mkdir(path.join(home, 'apps'))
  await writeFile(file, JSON.stringify({...fullDefinition, ...change}))
  await writeFile(path.join(home, 'articles', 'paste-box.md'), '# All about it\n\nText.\n')
  return {home, file}
}

describe('apps show of a file', () => {
  test('needs no daemon and shows the card with the title of its article', async () => {
    const {home, file} = await definition()
    const {stdout, stderr, exitCode} = await runCommand(['apps', 'show', file], {home, variables: {MOORAGE_URL: 'http://127.0.0.1:1'}})
    expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: ''})
    expect(stdout).toMatch(/^Paste Box \(paste-box\)\n/)
    expect(stdout).toContain('All about it (--article shows it)')
  })

  test('prints the article as it is', async () => {
    const {home, file} = await definition()
    expect((await runCommand(['apps', 'show', file, '--article'], {home})).stdout).toBe('# All about it\n\nText.\n')
    expect(JSON.parse((await runCommand(['apps', 'show', file, '--article', '--json'], {home})).stdout)).toEqual({markdown: '# All about it\n\nText.\n'})
    const inline = await definition({marketplace: {article: '# Inline'}})
    expect((await runCommand(['apps', 'show', inline.file, '--article'], {home: inline.home})).stdout).toBe('# Inline\n')
  })

  test('without an article says so', async () => {
    const {home, file} = await definition({marketplace: {articleFile: 'articles/none.md'}})
    expect((await runCommand(['apps', 'show', file], {home})).stdout).not.toContain('--article')
    expect(await runCommand(['apps', 'show', file, '--article'], {home})).toMatchObject({exitCode: 1, stderr: expect.stringContaining('Paste Box has no article')})
  })

  test('with --json gives what this release reads of it, and warns about the rest', async () => {
    const {home, file} = await definition({colour: 'red'})
    const {stdout} = await runCommand(['apps', 'show', file, '--json'], {home})
    expect(JSON.parse(stdout)).toEqual({...JSON.parse(JSON.stringify(fullDefinition)), draft: null})
    expect((await runCommand(['apps', 'show', file], {home})).stderr).toContain('/colour')
  })

  test('reads stdin', async () => {
    const {home} = await definition()
    expect((await runCommand(['apps', 'show', '-'], {home, stdin: JSON.stringify(fullDefinition)})).stdout).toContain('Paste Box')
  })

  test('that is refused says where', async () => {
    const {home, file} = await definition({category: 'games'})
    expect(await runCommand(['apps', 'show', file], {home})).toMatchObject({exitCode: 1, stderr: expect.stringMatching(/paste-box\.json:1:\d+: \/category/)})
    expect(await runCommand(['apps', 'show', './none.json'], {home})).toMatchObject({exitCode: 2, stderr: expect.stringContaining('none.json')})
  })
})

describe('apps show of an id', () => {
  test('shows what the catalog has, with its article', async () => {
    const {home} = await startTestDaemon()
    const {stdout, exitCode} = await runCommand(['apps', 'show', 'umami'], {home})
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^Umami \(umami\)\n/)
    expect((await runCommand(['apps', 'show', 'umami', '--article'], {home})).stdout).toMatch(/^# /)
    expect(await runCommand(['apps', 'show', 'no-such-app'], {home})).toMatchObject({exitCode: 1})
  })

  async function served(routes: Readonly<Record<string, unknown>>): Promise<RunOptions> {
    const api = await startTestServer((request, response) => {
      const body = routes[request.url ?? '']
      json(body === undefined ? 404 : 200, body ?? {error: 'Not found', code: 'NOT_FOUND'})(request, response)
    })
    return {home: await temporaryFolder(), variables: {MOORAGE_URL: api.url, MOORAGE_TOKEN: 't'}}
  }

  test('tells an install that was begun, and what the catalog knows', async () => {
    const draft = {projectId: 'prj_1234567890abcdef', slug: 'paste', name: 'Paste'}
    const options = await served({'/api/apps/catalog/paste-box': {data: {...fullDefinition, custom: true, verified: false, unlisted: false, requiresUpdate: {minVersion: '9.0.0'}}, draft}})
    const {stdout, stderr} = await runCommand(['apps', 'show', 'paste-box'], options)
    expect(stdout).toContain('uploaded by this organization')
    expect(stdout).toContain('needs Moorage 9.0.0')
    expect(stderr).toContain('project Paste (prj_1234567890abcdef)')
    expect(JSON.parse((await runCommand(['apps', 'show', 'paste-box', '--json'], options)).stdout)).toMatchObject({id: 'paste-box', custom: true, draft})
  })

  test('an article that is named and not there is none', async () => {
    const options = await served({'/api/apps/catalog/paste-box': {data: {...fullDefinition, custom: true, verified: false, unlisted: false}, draft: null}})
    expect((await runCommand(['apps', 'show', 'paste-box'], options)).stdout).not.toContain('--article')
  })
})
