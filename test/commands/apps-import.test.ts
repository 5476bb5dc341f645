import {mkdir, readFile, symlink, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {lintDefinition} from '../../src/catalog/lint/lint-definition.js'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {runCommand} from './run-command.js'

const compose = `services:
  web:
    image: ghcr.io/example/shop:1.4.2
    ports: ["\${PORT:-8080}:3000"]
    environment:
      DATABASE_URL: postgres://app:\${DB_PASSWORD}@db/app
      TITLE: \${TITLE}
    volumes: ["./shop.conf:/etc/shop.conf:ro", "./leak:/etc/leak:ro", "./logo.png:/srv/logo.png:ro"]
    privileged: true
  db:
    image: postgres:17.5
    environment: {POSTGRES_PASSWORD: "\${DB_PASSWORD}"}
`

async function project() {
  const home = await temporaryFolder()
  const folder = path.join(home, 'My Shop')
  await mkdir(folder)
  await writeFile(path.join(folder, 'docker-compose.yml'), compose)
  await writeFile(path.join(folder, '.env'), 'DB_PASSWORD=planted\nTITLE="Our Shop"\n')
  await writeFile(path.join(folder, 'shop.conf'), 'a = 1\n')
  await writeFile(path.join(folder, 'logo.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]))
  await writeFile(path.join(home, 'outside.conf'), 'secret\n')
  await symlink(path.join(home, 'outside.conf'), path.join(folder, 'leak'))
  return {home, folder, file: path.join(folder, 'docker-compose.yml')}
}

describe('apps import', () => {
  test('prints the definition and nothing else on stdout, and on stderr what an author should know', async () => {
    const {home, folder, file} = await project()
    const {stdout, stderr, exitCode} = await runCommand(['apps', 'import', file], {home})
    expect(exitCode).toBe(0)
    const definition = JSON.parse(stdout)
    expect(definition).toMatchObject({id: 'my-shop', name: 'My Shop', services: [{name: 'web', ports: ['8080:3000']}, {name: 'db'}], files: [{path: '/etc/shop.conf', content: 'a = 1\n'}]})
    expect(definition.settings[0].fields).toMatchObject([{key: 'TITLE', default: 'Our Shop'}])
    expect(definition.configFields).toMatchObject([{key: 'POSTGRES_PASSWORD', generate: 'secret'}])
    expect(stdout + stderr).not.toContain('planted')
    expect(stdout).not.toContain('$schema')
    expect(stderr).toMatch(/my-shop: 2 services, 1 config field, 1 setting, 1 file\n/)
    expect(stderr).toMatch(/not carried over:\n(.*\n)* {2}web: privileged: .*\n/)
    expect(stderr).toContain('./leak: it leads out of the folder')
    expect(stderr).toContain('./logo.png: it is no text')
    // The folder alone names the file, too.
    expect((await runCommand(['apps', 'import', folder], {home})).stdout).toBe(stdout)
  })

  test('writes a file that the linter takes, with the schema beside it, and says what to type next', async () => {
    const {home, file} = await project()
    const output = path.join(home, 'catalog', 'apps', 'shop.json')
    const {stdout, stderr, exitCode} = await runCommand(['apps', 'import', file, '--output', output, '--name', 'Shop', '--category', 'cms', '--description', 'Sells.'], {home})
    expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: `${output}\n`})
    const text = await readFile(output, 'utf8')
    expect(JSON.parse(text)).toMatchObject({$schema: '../app.schema.json', id: 'shop', name: 'Shop', category: 'cms', description: 'Sells.'})
    expect(lintDefinition(text, {fileName: 'shop.json'}).findings.filter(({severity}) => severity !== 'info')).toEqual([])
    expect(await readFile(path.join(home, 'catalog', 'app.schema.json'), 'utf8')).toBe(await readFile('catalog/app.schema.json', 'utf8'))
    expect(stderr).toContain(`moorage apps validate ${output} --strict`)
  })

  test('replaces a file only with --force, and leaves a schema that is there', async () => {
    const {home, file} = await project()
    const output = path.join(home, 'shop.json')
    await writeFile(output, 'mine')
    await writeFile(path.join(home, 'app.schema.json'), 'mine')
    const refused = await runCommand(['apps', 'import', file, '--output', output], {home})
    expect(refused).toMatchObject({exitCode: 1, stderr: expect.stringContaining('--force')})
    expect(await readFile(output, 'utf8')).toBe('mine')
    expect((await runCommand(['apps', 'import', file, '--output', output, '--force'], {home})).exitCode).toBe(0)
    expect(JSON.parse(await readFile(output, 'utf8'))).toMatchObject({$schema: './app.schema.json', id: 'shop'})
    expect(await readFile(path.join(home, 'app.schema.json'), 'utf8')).toBe('mine')
  })

  test('reads stdin, where no file beside it counts, and variables from --env-file', async () => {
    const {home, folder} = await project()
    await writeFile(path.join(home, 'other.env'), 'TITLE=Other\nPORT=9090\n')
    const {stdout, stderr} = await runCommand(['apps', 'import', '-', '--name', 'Shop', '--env-file', path.join(home, 'other.env')], {home, stdin: compose})
    expect(JSON.parse(stdout)).toMatchObject({id: 'shop', services: [{ports: ['9090:3000']}, {}], settings: [{fields: [{default: 'Other'}]}]})
    expect(stderr).toContain('no such file beside')
    expect(folder).toBeTruthy()
  })

  test('with --json gives the definition and the notes', async () => {
    const {home, file} = await project()
    const {definition, notes} = JSON.parse((await runCommand(['apps', 'import', file, '--json'], {home})).stdout)
    expect(definition.id).toBe('my-shop')
    expect(notes).toContainEqual({level: 'lost', service: 'web', key: 'privileged', why: expect.any(String), todo: expect.any(String)})
  })

  test('with --quiet says only the definition', async () => {
    const {home, file} = await project()
    expect((await runCommand(['apps', 'import', file, '--quiet'], {home})).stderr).toBe('')
  })

  test.each([
    [['none.yml'], 'can not read none.yml'],
    [['-', '--id', 'Not_One'], 'an id is'],
    [['-', '--output', 'shop.txt'], '.json'],
    [['-', '--output', 'shop.json', '--id', 'other'], 'other.json'],
    [['-', '--category', 'games'], 'category'],
    [['-', '--env-file', 'none.env'], 'can not read none.env'],
  ])('%j is wrong usage', async (argv, message) => {
    const {exitCode, stderr} = await runCommand(['apps', 'import', ...argv], {home: await temporaryFolder(), stdin: compose})
    expect({exitCode, stderr}).toEqual({exitCode: 2, stderr: expect.stringContaining(message)})
  })

  test('a file that is no Compose file is refused with its line', async () => {
    const {exitCode, stderr} = await runCommand(['apps', 'import', '-'], {home: await temporaryFolder(), stdin: 'services:\n  web: [\n'})
    expect({exitCode, stderr}).toEqual({exitCode: 2, stderr: expect.stringMatching(/stdin:\d+: /)})
  })

  test('a folder without a Compose file is wrong usage', async () => {
    const home = await temporaryFolder()
    expect(await runCommand(['apps', 'import', home], {home})).toMatchObject({exitCode: 2, stderr: expect.stringContaining('no Compose file')})
  })
})
