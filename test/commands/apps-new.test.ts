import {readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {lintDefinition} from '../../src/catalog/lint/lint-definition.js'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {runCommand} from './run-command.js'

const flags = ['--name', 'Paste Box', '--description', 'Share snippets.', '--image', 'ghcr.io/example/paste-box:1.4.2']

async function place() {
  const home = await temporaryFolder()
  return {home, file: path.join(home, 'apps', 'paste-box.json')}
}

const json = async (file: string) => JSON.parse(await readFile(file, 'utf8'))

describe('apps new', () => {
  test('asks on a terminal, writes definition, article and schema, and says what to type next', async () => {
    const {home, file} = await place()
    const answers = {
      'Name of the app (Paste Box)': '', 'Category': 'CMS', 'One line': 'Share snippets.', 'Image with': 'ghcr.io/example/paste-box:1.4.2', 'Port that': '8090', 'Folder in': '/data', 'Database:': 'postgres',
      'Environment keys': 'SECRET_KEY, ADMIN_TOKEN',
    }
    const {stdout, stderr, exitCode} = await runCommand(['apps', 'new', file], {home, terminal: true, answers})
    expect(exitCode).toBe(0)
    expect(stdout).toBe(`${file}\n${path.join(home, 'articles', 'paste-box.md')}\n`)
    const definition = await json(file)
    expect(definition).toMatchObject({
      $schema: '../app.schema.json', id: 'paste-box', name: 'Paste Box', category: 'cms', marketplace: {articleFile: 'articles/paste-box.md'},
      services: [{image: 'ghcr.io/example/paste-box:1.4.2', exposedPort: 8090, volumes: ['data:/data'], dependsOn: ['db']}, {name: 'db'}],
      configFields: [{key: 'SECRET_KEY'}, {key: 'ADMIN_TOKEN'}, {key: 'POSTGRES_PASSWORD'}],
    })
    expect(lintDefinition(await readFile(file, 'utf8'), {fileName: 'paste-box.json', hasArticle: () => true}).findings).toEqual([])
    expect(await readFile(path.join(home, 'articles', 'paste-box.md'), 'utf8')).toMatch(/^# Paste Box\n/)
    expect(await readFile(path.join(home, 'app.schema.json'), 'utf8')).toBe(await readFile('catalog/app.schema.json', 'utf8'))
    for (const next of ['validate', 'render', 'show', 'upload']) expect(stderr).toContain(`moorage apps ${next} ${file}`)
  })

  test('says what is wrong with an answer and asks again', async () => {
    const {home, file} = await place()
    const answers = {'Image with its version, or nothing to build one here: ': 'nginx:latest', 'latest moves; pin a version': 'nginx:1.29.0'}
    const {stderr, exitCode} = await runCommand(['apps', 'new', file, '--name', 'Paste', '--description', 'D', '--category', 'other', '--port', '80', '--data-path', '', '--database', 'none', '--secret', 'A_KEY'], {home, terminal: true, answers})
    expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: expect.stringContaining('the tag latest moves; pin a version')})
    expect((await json(file)).services[0].image).toBe('nginx:1.29.0')
  })

  test('off a terminal takes flags, and names all that are missing at once', async () => {
    const {home, file} = await place()
    const {exitCode, stderr} = await runCommand(['apps', 'new', file, ...flags, '--database', 'valkey', '--secret', 'A_KEY', '--secret', 'B_KEY'], {home})
    expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: expect.not.stringContaining('warning')})
    expect((await json(file)).configFields.map(({key}: {key: string}) => key)).toEqual(['A_KEY', 'B_KEY', 'VALKEY_PASSWORD'])
    expect(await runCommand(['apps', 'new'], {home})).toMatchObject({exitCode: 2, stderr: expect.stringContaining('give --name, --description, --image or --build')})
  })

  test('with --build starts with a Dockerfile', async () => {
    const {home, file} = await place()
    await runCommand(['apps', 'new', file, '--name', 'Paste', '--description', 'D', '--build'], {home})
    expect((await json(file)).services[0]).toMatchObject({build: {dockerfile: expect.stringContaining('FROM nginx')}, ports: ['8080:80']})
  })

  test('with --json prints what was written', async () => {
    const {home, file} = await place()
    const {stdout} = await runCommand(['apps', 'new', file, ...flags, '--json'], {home})
    expect(JSON.parse(stdout)).toMatchObject({file, article: path.join(home, 'articles', 'paste-box.md'), schema: path.join(home, 'app.schema.json'), definition: {id: 'paste-box'}})
  })

  test('refuses to replace the definition or the article before it asks anything, and does so with --force', async () => {
    const {home, file} = await place()
    await runCommand(['apps', 'new', file, ...flags], {home})
    await writeFile(path.join(home, 'articles', 'paste-box.md'), 'mine')
    const again = await runCommand(['apps', 'new', file], {home, terminal: true})
    expect(again).toMatchObject({exitCode: 1, stderr: expect.stringContaining('--force')})
    expect(again.stderr).not.toContain('Name')
    expect((await runCommand(['apps', 'new', path.join(home, 'apps', 'other.json'), ...flags], {home})).exitCode).toBe(0)
    expect((await runCommand(['apps', 'new', file, ...flags, '--force'], {home})).exitCode).toBe(0)
    expect(await readFile(path.join(home, 'articles', 'paste-box.md'), 'utf8')).toMatch(/^# Paste/)
  })

  test.each([
    [['x.txt'], '.json'],
    [['Paste_Box.json', ...flags], '--id: an id is lower-case letters'],
    [['paste-box.json', ...flags, '--id', 'other'], 'other.json'],
    [['paste-box.json', ...flags.slice(0, 4), '--image', 'nginx'], '--image: nginx names no version'],
    [['paste-box.json', ...flags, '--port', '0'], '--port: a port is'],
    [['paste-box.json', ...flags, '--data-path', 'data'], '--data-path: it is an absolute path'],
    [['paste-box.json', ...flags, '--secret', 'a-b'], '--secret: "a-b" is no environment key'],
    [['paste-box.json', ...flags, '--database', 'postgres', '--secret', 'POSTGRES_PASSWORD'], 'generated for the database already'],
    [['paste-box.json', ...flags.slice(2), '--name', ' '], '--name: it can not be empty'],
    [['paste-box.json', ...flags, '--database', 'oracle'], 'oracle'],
    [['paste-box.json', ...flags, '--build'], '--build'],
  ])('%j is wrong usage, and writes nothing', async (argv, message) => {
    const home = await temporaryFolder()
    const [file = '', ...rest] = argv
    const {exitCode, stderr} = await runCommand(['apps', 'new', path.join(home, file), ...rest], {home})
    expect({exitCode, stderr}).toEqual({exitCode: 2, stderr: expect.stringContaining(message)})
    await expect(readFile(path.join(home, 'app.schema.json'))).rejects.toThrow('ENOENT')
  })
})
