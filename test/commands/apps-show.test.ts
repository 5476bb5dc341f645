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
    expect(await runCommand(['apps', 'show', './none.json'], {home})).toMatchObject({exitCode: 2, stderr: expect.stringContaining('can not read ./none.json: it is not there')})
    expect(await runCommand(['apps', 'show', home + '/'], {home})).toMatchObject({exitCode: 2, stderr: expect.stringContaining(': it is a folder')})
  })

  test('takes a byte order mark, as an upload does, and refuses what is no UTF-8', async () => {
    const {home} = await definition()
    const show = (stdin: Buffer) => runCommand(['apps', 'show', '-'], {home, stdin})
    const bytes = Buffer.from(JSON.stringify(fullDefinition))
    expect(await show(Buffer.concat([Buffer.from('\uFEFF'), bytes]))).toMatchObject({exitCode: 0, stderr: ''})
    expect(await show(Buffer.concat([bytes.subarray(0, -2), Buffer.from([0xff]), bytes.subarray(-2)]))).toMatchObject({exitCode: 1, stderr: expect.stringContaining('the file is not UTF-8')})
  })

  test('draws on no terminal with its article, and gives others the text as it is', async () => {
    const {home, file} = await definition({marketplace: {article: '# A\n\n\u001B[2Jb\n'}})
    expect((await runCommand(['apps', 'show', file, '--article'], {home})).stdout).toBe('# A\n\n\u001B[2Jb\n')
    expect((await runCommand(['apps', 'show', file, '--article'], {home, terminal: true})).stdout).toBe('# A\n\n\\x1b[2Jb\n')
  })
})

describe('apps show of an id', () => {
  test('shows what the catalog has, with its article', async () => {
    const {home} = await startTestDaemon()
    const {stdout, exitCode} = await runCommand(['apps', 'show', 'umami'], {home})
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^Umami \(umami\)\n/)
    expect((await runCommand(['apps', 'show', 'umami', '--article'], {home})).stdout).toMatch(/^# /)
    expect(await runCommand(['apps', 'show', 'umani'], {home})).toMatchObject({exitCode: 1, stderr: 'error: no app umani (NOT_FOUND)\ntry: moorage apps search umani\n'})
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
    const options = await served({'/api/apps/catalog/paste-box': {data: {...fullDefinition, available: false, custom: true, verified: false, unlisted: false, requiresUpdate: {minVersion: '9.0.0'}}, draft}})
    const {stdout, stderr} = await runCommand(['apps', 'show', 'paste-box'], options)
    expect(stdout).toContain('uploaded by this organization')
    expect(stdout).toMatch(/^ {2}state +needs Moorage 9\.0\.0$/m)
    expect(stderr).toContain('project Paste (prj_1234567890abcdef)')
    expect(JSON.parse((await runCommand(['apps', 'show', 'paste-box', '--json'], options)).stdout)).toMatchObject({id: 'paste-box', custom: true, draft})
  })

  test('an article that is named and not there is none', async () => {
    const options = await served({'/api/apps/catalog/paste-box': {data: {...fullDefinition, custom: true, verified: false, unlisted: false}, draft: null}})
    expect((await runCommand(['apps', 'show', 'paste-box'], options)).stdout).not.toContain('--article')
  })
})
