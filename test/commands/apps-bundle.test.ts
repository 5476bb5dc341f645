import {mkdir, readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {startTestDaemon, temporaryFolder} from '../daemon/start-test-daemon.js'
import {readManifest} from '../../daemon/apps/read-manifest.js'
import {runCommand} from './run-command.js'

const app = (id: string) => ({
  $schema: '../app.schema.json', id, name: id.toUpperCase(), description: `What ${id} does.`, kind: 'template', logo: 'docker', category: 'other', available: true,
  marketplace: {features: [{title: 'Small'}], articleFile: `articles/${id}.md`}, services: [{name: 'web', image: 'nginx:1.29.0', exposed: true, exposedPort: 80}],
})

async function folder(change: object = {}) {
  const home = await temporaryFolder()
  for (const name of ['apps', 'articles']) await mkdir(path.join(home, name))
  for (const id of ['b-tool', 'a-tool']) {
    await writeFile(path.join(home, 'apps', `${id}.json`), JSON.stringify({...app(id), ...change}))
    await writeFile(path.join(home, 'articles', `${id}.md`), `# ${id}\n`)
  }
  return {home, apps: path.join(home, 'apps')}
}

describe('apps bundle', () => {
  test('makes a manifest that an instance reads whole, with the articles in it', async () => {
    const {home, apps} = await folder()
    const output = path.join(home, 'public', 'catalog.json')
    const {stdout, stderr, exitCode} = await runCommand(['apps', 'bundle', apps, '--strict', '--output', output], {home})
    expect({stdout, stderr, exitCode}).toEqual({stdout: `${output}\n`, stderr: '2 apps\n', exitCode: 0})
    const text = await readFile(output, 'utf8')
    expect(text.split('\n')).toHaveLength(5)
    const {entries, skipped} = await readManifest(text)
    expect([[...entries.keys()], skipped]).toEqual([['a-tool', 'b-tool'], []])
    expect(JSON.parse(text).apps[0]).toMatchObject({id: 'a-tool', marketplace: {features: [{title: 'Small'}], article: '# a-tool\n'}})
    expect(text).not.toMatch(/\$schema|articleFile/)
  })

  test('goes to stdout without --output, and replaces a file with it', async () => {
    const {home, apps} = await folder()
    expect(JSON.parse((await runCommand(['apps', 'bundle', apps], {home})).stdout).apps).toHaveLength(2)
    expect(JSON.parse((await runCommand(['apps', 'bundle', apps, '--json'], {home})).stdout)).toMatchObject({file: null, ids: ['a-tool', 'b-tool'], catalog: {version: 1}})
    const output = path.join(home, 'catalog.json')
    await writeFile(output, 'old')
    expect((await runCommand(['apps', 'bundle', apps, '-o', output], {home})).exitCode).toBe(0)
    expect(await readFile(output, 'utf8')).toMatch(/^\{"version": 1/)
  })

  test('stops at errors, with --strict at warnings, and writes nothing', async () => {
    const {home, apps} = await folder({colour: 'red'})
    const output = path.join(home, 'catalog.json')
    expect((await runCommand(['apps', 'bundle', apps, '-o', output], {home})).exitCode).toBe(0)
    const strict = await runCommand(['apps', 'bundle', apps, '--strict', '-o', path.join(home, 'none.json')], {home})
    expect(strict).toMatchObject({exitCode: 1, stdout: expect.stringContaining('unknown-key')})
    await expect(readFile(path.join(home, 'none.json'))).rejects.toThrow('ENOENT')
    await writeFile(path.join(apps, 'a-tool.json'), '{')
    expect((await runCommand(['apps', 'bundle', apps], {home})).exitCode).toBe(1)
    expect(await runCommand(['apps', 'bundle', '-'], {home})).toMatchObject({exitCode: 2})
  })
})

test('an upload takes its article along', async () => {
  const {apps} = await folder()
  const {home} = await startTestDaemon()
  expect(await runCommand(['apps', 'upload', path.join(apps, 'a-tool.json')], {home})).toMatchObject({exitCode: 0})
  expect((await runCommand(['apps', 'show', 'a-tool', '--article'], {home})).stdout).toBe('# a-tool\n')
  expect((await runCommand(['apps', 'show', 'a-tool'], {home})).stdout).toContain('uploaded by this organization')
})
