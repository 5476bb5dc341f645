import {writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {shortText, sizeText} from '../../src/cli/app-text.js'
import {app, idsOf, manifest, startAppDaemon} from '../daemon/apps/app-fixture.js'
import {serving, startSource} from '../daemon/apps/source-server.js'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {runCommand, type RunOptions} from './run-command.js'

const document = async (argv: string[], options: RunOptions) => JSON.parse((await runCommand([...argv, '--json'], options)).stdout)
const failure = async (argv: string[], options: RunOptions) => (await document(argv, options)).error

const bundled = [
  app('forgejo', {name: 'Forgejo', category: 'backend', tags: ['git'], verified: true}),
  app('postgresql', {name: 'PostgreSQL', category: 'database', minResources: {memoryMb: 99_999_999, cpuCores: 0.5}}),
  app('later', {available: false}),
  app('future', {minEngine: '99.0.0'}),
]
const start = async () => (await startAppDaemon(bundled)).home

/** A definition that the linter has nothing against. */
const mine = {...app('my-tool', {name: 'My Tool', minEngine: '1.0.0', connection: {outputs: []}}), services: [{name: 'web', image: 'nginx:1.29.1', exposed: true, exposedPort: 80}]}

async function fileOf(value: unknown, name = 'definition.json'): Promise<string> {
  const file = path.join(await temporaryFolder(), name)
  await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value, null, 2))
  return file
}

describe('apps list', () => {
  test('shows the catalog as a table, for people and for pipes', async () => {
    const home = await start()
    const {stdout} = await runCommand(['apps', 'list'], {home})
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      'forgejo\tForgejo\tbackend\tready\tverified\twhat forgejo does',
      'postgresql\tPostgreSQL\tdatabase\tready\t\twhat postgresql does',
      'later\tApp later\tother\tcoming soon\t\twhat later does',
      'future\tApp future\tother\tneeds 99.0.0\t\twhat future does',
    ])
    const seen = await runCommand(['apps', 'list'], {home, terminal: true, columns: 70, variables: {NO_COLOR: '1'}})
    expect(seen.stdout).toMatch(/^ID +NAME +CATEGORY +STATE +BY +DESCRIPTION\n/)
    for (const line of seen.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(70)
  })

  test('takes every filter, and says how many more there are', async () => {
    const home = await start()
    const ids = async (...flags: string[]) => idsOf((await document(['apps', 'list', ...flags], {home})).items)
    expect(await ids('--category', 'database')).toEqual(['postgresql'])
    expect(await ids('--tag', 'GIT')).toEqual(['forgejo'])
    expect(await ids('--installable')).toEqual(['forgejo', 'postgresql'])
    expect(await ids('--verified')).toEqual(['forgejo'])
    expect(await ids('--custom')).toEqual([])
    expect([await ids('--limit', '300'), await ids()].map((all) => all.length)).toEqual([4, 4])
    const cut = await runCommand(['apps', 'list', '--limit', '1'], {home})
    expect([cut.stdout.split('\n').length, cut.stderr]).toEqual([2, '1 of 4 apps\n'])
    expect(await document(['apps', 'list', '--limit', '1'], {home})).toMatchObject({total: 4, next: null, facets: {categories: expect.any(Array)}})
  })

  test('names the flag that is wrong, with what it takes', async () => {
    const error = await failure(['apps', 'list', '--category', 'games'], {home: await start()})
    expect(error).toMatchObject({code: 'USAGE', message: expect.stringMatching(/^--category: .*backend.*other/)})
  })
})

describe('apps search', () => {
  test('looks into names, descriptions and tags', async () => {
    const home = await start()
    expect((await runCommand(['apps', 'search', 'GIT'], {home})).stdout).toMatch(/^forgejo\t/)
    expect(idsOf((await document(['apps', 'search', 'what', '--installable'], {home})).items)).toEqual(['forgejo', 'postgresql'])
  })

  test('that finds nothing says so and fails nowhere', async () => {
    expect(await runCommand(['apps', 'search', 'nothing'], {home: await start()})).toMatchObject({
      stdout: '', stderr: 'no app has "nothing" in its name, description or tags\n', exitCode: 0,
    })
  })
})

describe('apps host-fit', () => {
  test('compares, warns and refuses nothing', async () => {
    const home = await start()
    const {stdout, stderr, exitCode} = await runCommand(['apps', 'host-fit', 'postgresql'], {home})
    expect(stdout).toMatch(/recommended\t97656\.2 GB of RAM and 0\.5 vCPU\n/)
    expect(stdout).toMatch(/fits\tno\n/)
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^warning: the machine of the daemon has less than PostgreSQL recommends: 97656\.2 GB of RAM \(it has .+\); it can be installed all the same\n$/)])
    expect(await document(['apps', 'host-fit', 'postgresql', '--server', 'local'], {home})).toMatchObject({id: 'postgresql', server: expect.stringMatching(/^srv_/), fit: {ok: false}})
  })

  test('of an app that asks for nothing is quick to say so', async () => {
    const {stdout, stderr} = await runCommand(['apps', 'host-fit', 'forgejo'], {home: await start()})
    expect([stdout.includes('recommended\tnothing\n'), stdout.includes('fits\tyes\n'), stderr]).toEqual([true, true, ''])
  })

  test('says which app or server there is not, and what to type', async () => {
    const home = await start()
    expect(await failure(['apps', 'host-fit', 'forgeyo'], {home})).toMatchObject({code: 'NOT_FOUND', message: 'no app forgeyo', suggestions: ['moorage apps search forgeyo']})
    expect(await failure(['apps', 'host-fit', 'forgejo', '--server', 'nope'], {home})).toMatchObject({code: 'NOT_FOUND', suggestions: ['moorage servers list']})
  })

  test.each([
    [{memoryMb: 4096, cpuCores: 4}, '4 GB of RAM and 4 vCPU'], [{memoryMb: 1987}, '1.9 GB of RAM'], [{memoryMb: 512, cpuCores: 0.5}, '512 MB of RAM and 0.5 vCPU'], [{}, null], [{memoryMb: 0, cpuCores: 0}, null],
  ])('writes %j as %j', (size, text) => {
    expect(sizeText(size)).toBe(text)
  })

  test('writes what is short beside what there is', () => {
    expect(shortText({memory: {needed: 4096, available: 1987}, cpu: {needed: 4, available: 2}})).toBe('4 GB of RAM (it has 1.9 GB) and 4 vCPU (it has 2 vCPU)')
  })
})

describe('apps upload', () => {
  test('uploads, replaces, lists and deletes', async () => {
    const home = await start()
    const file = await fileOf(mine)
    expect(await runCommand(['apps', 'upload', file], {home})).toMatchObject({exitCode: 0, stdout: 'my-tool is uploaded\n', stderr: 'look at it with: moorage apps show my-tool\n'})
    expect(await document(['apps', 'upload', '-'], {home, stdin: JSON.stringify(mine)})).toEqual({appId: 'my-tool', replaced: true, unknownKeys: [], findings: []})
    expect((await runCommand(['apps', 'list', '--custom'], {home})).stdout).toBe('my-tool\tMy Tool\tother\tready\tcustom\twhat my-tool does\n')
    expect(await runCommand(['apps', 'delete', 'my-tool'], {home})).toMatchObject({exitCode: 2, stderr: expect.stringContaining('--yes')})
    const answered = await runCommand(['apps', 'delete', 'my-tool'], {home, terminal: true, answers: {'Delete the custom app My Tool': 'y'}})
    expect([answered.exitCode, answered.stdout]).toEqual([0, 'my-tool is deleted\n'])
    expect(await failure(['apps', 'delete', 'my-tool', '--yes'], {home})).toMatchObject({code: 'NOT_FOUND', suggestions: ['moorage apps list --custom']})
  })

  test('sends a definition with a misspelt key, and warns of it with what was meant', async () => {
    const home = await start()
    const file = await fileOf({...mine, configfields: [], services: [{...mine.services[0], dependson: []}]})
    const {stdout, stderr, exitCode} = await runCommand(['apps', 'upload', file], {home})
    expect([exitCode, stdout]).toEqual([0, 'my-tool is uploaded\n'])
    expect(stderr).toMatch(/\d+:\d+ +warning +.*configFields/)
    expect(stderr).toMatch(/\d+:\d+ +warning +.*dependsOn/)
    expect(stderr).not.toContain('is kept, but')
    const result = await document(['apps', 'upload', file], {home})
    expect(result.unknownKeys).toEqual(expect.arrayContaining(['/configfields', '/services/0/dependson']))
    expect(result.findings.map(({path: at}: {path: string}) => at)).toEqual(expect.arrayContaining(['/configfields', '/services/0/dependson']))
    expect((await runCommand(['apps', 'upload', file, '--no-check'], {home})).stderr).toMatch(/^warning: \/.+ is kept, but this instance does not read it\n/)
  })

  test('is stopped by errors, each with its place, before anything is sent', async () => {
    const home = await start()
    const file = await fileOf({...mine, name: 7, services: [{name: 'web'}]})
    const {stdout, stderr, exitCode} = await runCommand(['apps', 'upload', file], {home})
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/3:\d+ +error +/)
    expect(stderr).toMatch(/error: .* \(DEFINITION_INVALID\)/)
    const error = await failure(['apps', 'upload', file], {home})
    expect(error).toMatchObject({code: 'DEFINITION_INVALID', details: {findings: expect.arrayContaining([expect.objectContaining({line: 3, path: '/name'})])}})
    expect((await document(['apps', 'list', '--custom'], {home})).items).toEqual([])
  })

  test('with --no-check leaves it to the instance, whose refusal says how to learn more', async () => {
    const home = await start()
    const file = await fileOf({...mine, services: [{name: 'web'}]})
    expect(await failure(['apps', 'upload', file, '--no-check'], {home})).toMatchObject({
      code: 'VALIDATION_ERROR', message: expect.stringContaining('exactly one of image or build'), suggestions: [`moorage apps validate ${file}`],
    })
    expect(await failure(['apps', 'upload', '-', '--no-check'], {home, stdin: JSON.stringify({...mine, id: 'forgejo'})})).toMatchObject({code: 'APP_ID_TAKEN', suggestions: ['moorage apps show forgejo']})
  })

  test.each([
    ['comments', '{"id": "a" // no\n}'], ['a comma too many', '{"id": "a",}'], ['nothing', ''], ['half of it', '{"id": '], ['bytes that are no text', '\u0000'],
  ])('refuses a file with %s, checked or not', async (_what, text) => {
    const home = await start()
    for (const flags of [[], ['--no-check']]) {
      const file = await fileOf(text)
      expect((await failure(['apps', 'upload', file, ...flags], {home})).code).toBe('DEFINITION_INVALID')
      expect((await runCommand(['apps', 'upload', file, ...flags], {home})).stderr).toMatch(/^.*definition\.json\n +1:\d+ +error +\S/)
    }
  })

  test('refuses a file that is not there, a folder, and one that is too large', async () => {
    const home = await start()
    for (const file of ['/nowhere/a.json', await temporaryFolder(), await fileOf(`"${'x'.repeat(1_000_001)}"`)]) {
      expect(await failure(['apps', 'upload', file], {home})).toMatchObject({code: 'DEFINITION_INVALID', details: {findings: [{file}]}})
    }
  })
})

describe('apps source', () => {
  test('says that the bundled catalog is all there is, and how to name another', async () => {
    const {stdout, stderr} = await runCommand(['apps', 'source'], {home: await start()})
    expect(stdout).toMatch(/^origin\tbundled\n/)
    expect(stderr).toContain('--catalog-url')
  })

  test('fetches when told to, and fails where the source can not be read, saying what is served on', async () => {
    const source = await startSource(serving(manifest([app('far'), {id: 'broken'}])))
    const {home} = await startAppDaemon([app('own')], {catalogUrl: source.url.href})
    const fetched = await runCommand(['apps', 'source', '--refresh'], {home})
    expect(fetched.stdout).toMatch(/origin\tremote\n[^]*apps\t2\n/)
    expect(fetched.stderr).toMatch(/^warning: broken is left out: /)
    await source.stop()
    const {stderr, exitCode} = await runCommand(['apps', 'source', '--refresh'], {home})
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^error: the source can not be reached: .+; the copy that was fetched before is served on \(CATALOG_UNREACHABLE\)\ntry: moorage apps source\n$/)])
    expect(await document(['apps', 'source'], {home})).toMatchObject({origin: 'remote', failure: {message: expect.any(String), since: expect.any(String)}})
    expect((await failure(['apps', 'source', '--refresh'], {home})).details.source.failure.since).toBe((await document(['apps', 'source'], {home})).failure.since)
  })
})
