import {chmod, mkdir, readFile, rename, symlink, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {exampleApp} from '../../src/catalog/lint/examples.js'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {runCommand, type CommandRun, type RunOptions} from './run-command.js'

type Part = Readonly<Record<string, unknown>>

async function folderOf(files: Readonly<Record<string, Part | string>>): Promise<string> {
  const folder = await temporaryFolder()
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    await mkdir(path.dirname(file), {recursive: true})
    const whole = typeof content === 'string' ? content : `${JSON.stringify({...exampleApp, id: path.basename(name, '.json'), ...content}, null, 2)}\n`
    await writeFile(file, whole)
  }
  return folder
}

async function validate(args: readonly string[], options: Partial<RunOptions> = {}): Promise<CommandRun> {
  return runCommand(['apps', 'validate', ...args], {home: await temporaryFolder(), ...options})
}

const floating = {services: [{name: 'web', image: 'ghcr.io/example/paste:latest'}]}

describe('what is checked', () => {
  test('a folder, with everything below it but schemas, manifests, packages and dot folders', async () => {
    const folder = await folderOf({
      'a.json': {}, 'deep/er/b.json': {}, 'app.schema.json': '{}', 'catalog.json': '{}', 'package.json': '{}', 'node_modules/c.json': '{}', '.hidden/d.json': '{}', 'notes.md': '#',
    })
    const {stdout, stderr, exitCode} = await validate([folder])
    expect({stdout, stderr, exitCode}).toEqual({stdout: '', stderr: '2 files, no problems\n', exitCode: 0})
  })

  test('single files, globs and folders together, each file once', async () => {
    const folder = await folderOf({'a.json': {}, 'b.json': {}, 'sub/c.json': {}})
    const {stderr} = await validate([path.join(folder, 'a.json'), path.join(folder, '*.json'), path.join(folder, 'sub'), folder])
    expect(stderr).toBe('3 files, no problems\n')
  })

  test('stdin, whatever its id', async () => {
    expect(await validate(['-'], {stdin: JSON.stringify(exampleApp)})).toMatchObject({exitCode: 0, stderr: '1 file, no problems\n'})
    const bad = await validate(['-'], {stdin: '{"id": 5}'})
    expect(bad).toMatchObject({exitCode: 1, stdout: expect.stringMatching(/^stdin\n(?:.*missing-key\n){5} +1:8 +error +id must be a text, not 5; write "5" +wrong-type\n/)})
  })

  test('a manifest, entry by entry, when it is named', async () => {
    const folder = await folderOf({'catalog.json': JSON.stringify({version: 1, apps: [exampleApp, {...exampleApp, id: 'notes', ...floating}, {...exampleApp, category: 'x'}]}, null, 1)})
    const {stdout, exitCode} = await validate([path.join(folder, 'catalog.json'), '--json'])
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout).error.details.findings.map((finding: {rule: string; path: string}) => [finding.rule, finding.path])).toEqual([
      ['image-unpinned', '/apps/1/services/0/image'], ['duplicate-app', '/apps/2/id'], ['bad-value', '/apps/2/category'],
    ])
  })

  test('a link to a file, but not one to a folder', async () => {
    const folder = await folderOf({'real/a.json': {}, 'links/b.json': {}})
    await symlink(path.join(folder, 'real/a.json'), path.join(folder, 'links/a.json'))
    await symlink(path.join(folder, 'real'), path.join(folder, 'links/folder.json'))
    expect((await validate([path.join(folder, 'links')])).stderr).toBe('2 files, no problems\n')
  })
})

describe('wrong usage ends with 2', () => {
  test.each([
    ['a path that is not there', ['/nowhere/paste.json'], 'there is no file or folder /nowhere/paste.json'],
    ['a glob without a match', ['/nowhere/*.json'], 'no file matches /nowhere/*.json'],
    ['a format that is none', ['--format', 'xml'], '--format'],
    ['a rule that is none', ['--rule', 'image-unpined'], 'there is no rule image-unpined'],
    ['a dry run of nothing', ['--dry-run'], '--fix'],
    ['watching stdin', ['-', '--watch'], 'stdin can not be watched'],
  ])('%s', async (_, args, message) => {
    const {exitCode, stderr, stdout} = await validate(args)
    expect({exitCode, stdout}).toEqual({exitCode: 2, stdout: ''})
    expect(stderr).toContain(message)
  })

  test('a folder without definitions', async () => {
    const folder = await temporaryFolder()
    expect(await validate([folder])).toMatchObject({exitCode: 2, stderr: expect.stringContaining(`there are no definitions in ${folder}`)})
  })

  test('an id of a rule that is nearly right names the right one', async () => {
    expect((await validate(['--ignore', 'image-unpined'])).stderr).toContain('moorage apps rules image-unpinned')
  })
})

describe('the report', () => {
  test('off a terminal names the file, then a line for each finding', async () => {
    const folder = await folderOf({'paste.json': {category: 'databse', ...floating}})
    const {stdout, stderr, exitCode} = await validate([folder])
    expect(stdout).toBe(
      `${folder}/paste.json\n   7:15  error    category must be one of backend, database, cms, mail, analytics, automation, other, not "databse"  bad-value\n` +
        '  12:16  warning  the tag latest moves; pin a version  image-unpinned\n\n',
    )
    expect(stderr).toContain('error: 1 error and 1 warning in 1 of 1 file (DEFINITION_INVALID)')
    expect(stderr).toContain('moorage apps rules bad-value')
    expect(exitCode).toBe(1)
  })

  test('on a terminal shows the line with carets', async () => {
    const folder = await folderOf({'paste.json': floating})
    const {stdout} = await validate([folder, '--no-color'], {terminal: true})
    expect(stdout).toContain('     12 |       "image": "ghcr.io/example/paste:latest"\n        |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n')
  })

  test('warnings fail with --strict only, infos never', async () => {
    const folder = await folderOf({'paste.json': floating, 'notes.json': {services: [{name: 'web', image: 'postgres:16'}]}})
    expect(await validate([folder])).toMatchObject({exitCode: 0, stderr: '1 warning in 1 of 2 files\n'})
    expect(await validate([folder, '--strict'])).toMatchObject({exitCode: 1})
    expect(await validate([path.join(folder, 'notes.json'), '--strict'])).toMatchObject({exitCode: 0, stdout: expect.stringContaining('image-major-only')})
  })

  test('--quiet leaves out infos, frames and the summary', async () => {
    const folder = await folderOf({'paste.json': floating, 'notes.json': {services: [{name: 'web', image: 'postgres:16'}]}})
    const {stdout, stderr} = await validate([folder, '--quiet', '--no-color'], {terminal: true})
    expect({stdout, stderr}).toEqual({stdout: `${folder}/paste.json\n  12:16  warning  the tag latest moves; pin a version  image-unpinned\n\n`, stderr: ''})
  })

  test('--rule and --ignore choose', async () => {
    const folder = await folderOf({'paste.json': {...floating, logo: 'a b'}})
    const rulesOf = async (args: string[]): Promise<string[]> => JSON.parse((await validate([folder, '--json', ...args])).stdout).findings.map(({rule}: {rule: string}) => rule)
    expect(await rulesOf([])).toEqual(['logo-form', 'image-unpinned'])
    expect(await rulesOf(['--rule', 'logo-form'])).toEqual(['logo-form'])
    expect(await rulesOf(['--ignore', 'logo-form', '--ignore', 'image-unpinned'])).toEqual([])
  })

  test('--format json is --json: one document, also of a failure', async () => {
    const folder = await folderOf({'paste.json': floating})
    const plain = await validate([folder, '--json'])
    expect(await validate([folder, '--format', 'json'])).toEqual(plain)
    expect(await validate([folder, '--format=json'])).toEqual(plain)
    expect(JSON.parse(plain.stdout)).toMatchObject({files: 1, errors: 0, warnings: 1, infos: 0, findings: [{rule: 'image-unpinned', line: 12, column: 16, path: '/services/0/image', severity: 'warning'}]})
    const failed = JSON.parse((await validate([folder, '--strict', '--format', 'json'])).stdout)
    expect(failed.error).toMatchObject({code: 'DEFINITION_INVALID', details: {files: 1, findings: [{rule: 'image-unpinned'}]}})
  })

  test('--format github writes annotations', async () => {
    const folder = await folderOf({'paste.json': floating})
    expect((await validate([folder, '--format', 'github'])).stdout).toBe(
      `::warning file=${folder}/paste.json,line=12,endLine=12,col=16,endColumn=46,title=image-unpinned::the tag latest moves; pin a version\n`,
    )
  })

  test('--format sarif writes one log', async () => {
    const folder = await folderOf({'paste.json': floating})
    const log = JSON.parse((await validate([folder, '--format', 'sarif'])).stdout)
    expect(log).toMatchObject({version: '2.1.0', runs: [{results: [{ruleId: 'image-unpinned', ruleIndex: 0, level: 'warning'}]}]})
  })
})

describe('files that are hard to read', () => {
  test('are findings, and the others are checked', async () => {
    const folder = await folderOf({'good.json': {}, 'large.json': ' '.repeat(10_000_000), 'deep.json': '['.repeat(100_000), 'empty.json': '', 'latin.json': ''})
    await writeFile(path.join(folder, 'latin.json'), Buffer.from([0x22, 0xe4, 0x22]))
    await symlink(path.join(folder, 'nowhere'), path.join(folder, 'broken.json'))
    await mkdir(path.join(folder, 'folder.json'))
    await writeFile(path.join(folder, 'folder.json/inside.json'), `${JSON.stringify({...exampleApp, id: 'inside'})}`)
    const {stdout, exitCode} = await validate([folder, '--json'])
    const {findings, files} = JSON.parse(stdout).error.details
    expect(exitCode).toBe(1)
    expect(files).toBe(7)
    expect(findings.map((finding: {file: string; rule: string}) => [path.basename(finding.file), finding.rule])).toEqual([
      ['broken.json', 'file-unreadable'], ['deep.json', 'json-depth'], ['empty.json', 'json-syntax'], ['large.json', 'json-size'], ['latin.json', 'json-encoding'],
    ])
  })

  test('stdin of any size is not read to its end', async () => {
    expect(JSON.parse((await validate(['-', '--json'], {stdin: ' '.repeat(3_000_000)})).stdout).error.details.findings).toMatchObject([{rule: 'json-size', file: 'stdin', line: 1}])
  })
})

describe('--fix', () => {
  const messy = `\uFEFF{\r\n  "id": "paste",\r\n  "Name": "x",\r\n  "name": "Paste Box",\r\n  "description": "Share text snippets.",\r\n  "kind": "template",\r\n  "logo": "paste",\r\n  "logo": "paste",\r\n  "category": "other",\r\n  "available": true,\r\n  "min_engine": "1.0.0",\r\n  "services": [\r\n    {"name": "web", "image": "ghcr.io/example/paste:1.4.2", "depends-on": ["db"], "health_check": {"interval": "5s"}},\r\n    {"name": "db", "image": "postgres:16.4", "secret_env": "X",},\r\n  ],\r\n}\r\n`

  test('mends what is safe, keeps everything else as it is written, and tells what is left', async () => {
    const folder = await folderOf({'paste.json': messy})
    const {stdout, exitCode} = await validate([folder, '--fix', '--json'])
    expect(exitCode).toBe(0)
    const text = await readFile(path.join(folder, 'paste.json'), 'utf8')
    const expected = messy
      .replace('\uFEFF', '').replace('  "logo": "paste",\r\n', '').replace('min_engine', 'minEngine').replace('depends-on', 'dependsOn').replace('health_check', 'healthcheck')
      .replace('"X",}', '"X"}').replace('},\r\n  ],\r\n}', '}\r\n  ]\r\n}')
    expect(text).toBe(expected)
    // A name that is taken, and a value that the right key would refuse, are left to people.
    expect(JSON.parse(stdout).findings.map((finding: {rule: string; path: string}) => [finding.rule, finding.path])).toEqual([['unknown-key', '/Name'], ['unknown-key', '/services/1/secret_env']])
    const {mended} = JSON.parse(stdout)
    expect(mended).toMatchObject([{file: path.join(folder, 'paste.json'), diff: expect.stringContaining('+  "minEngine"')}])
    const again = await validate([folder, '--fix'])
    expect(again.stderr).not.toContain('mended')
    expect(await readFile(path.join(folder, 'paste.json'), 'utf8')).toBe(expected)
  })

  test('--dry-run shows the difference, in colour on a terminal, and changes nothing', async () => {
    const folder = await folderOf({'paste.json': {min_engine: '1.0.0'}})
    const before = await readFile(path.join(folder, 'paste.json'), 'utf8')
    const {stdout, exitCode} = await validate([folder, '--fix', '--dry-run'])
    expect(stdout).toBe(
      `--- ${folder}/paste.json\n+++ ${folder}/paste.json\n@@ -15,4 +15,4 @@\n     }\n   ],\n-  "min_engine": "1.0.0"\n+  "minEngine": "1.0.0"\n }\n`,
    )
    expect(exitCode).toBe(0)
    expect((await validate([folder, '--fix', '--dry-run'], {terminal: true})).stdout).toContain('\u001B[31m-  "min_engine": "1.0.0"\u001B[39m\n\u001B[32m+  "minEngine": "1.0.0"\u001B[39m')
    expect(await readFile(path.join(folder, 'paste.json'), 'utf8')).toBe(before)
  })

  test('says which files it mended and how', async () => {
    const folder = await folderOf({'paste.json': {min_engine: '1.0.0'}})
    expect((await validate([folder, '--fix'])).stderr).toBe(`mended ${folder}/paste.json: line 17: rename to minEngine\n1 file, no problems\n`)
  })

  test('mends only what is chosen', async () => {
    const folder = await folderOf({'paste.json': {min_engine: '1.0.0'}})
    expect((await validate([folder, '--fix', '--rule', 'json-bom'])).stderr).toBe('1 file, no problems\n')
  })

  test('of stdin needs --dry-run, and a file that can not be written is told', async () => {
    const stdin = JSON.stringify({...exampleApp, min_engine: '1.0.0'})
    expect(await validate(['-', '--fix'], {stdin})).toMatchObject({exitCode: 2, stderr: expect.stringContaining('--dry-run')})
    expect(await validate(['-', '--fix', '--dry-run'], {stdin})).toMatchObject({exitCode: 0, stdout: expect.stringContaining('"minEngine":"1.0.0"')})
  })

  test('is proposed where it would help', async () => {
    const folder = await folderOf({'paste.json': {category: 'x', min_engine: '1.0.0'}})
    expect((await validate([folder])).stderr).toContain('moorage apps validate --fix')
  })
})

describe('--watch', () => {
  test('checks again when a file changes, and ends with an interrupt', async () => {
    const folder = await folderOf({'paste.json': {}})
    const file = path.join(folder, 'paste.json')
    let rounds = 0
    const {stdout, stderr, exitCode} = await validate([folder, '--watch'], {
      onOutput: (_, stderrSoFar, control) => {
        const seen = stderrSoFar.split('waiting for changes').length - 1
        if (seen === rounds) return
        rounds = seen
        // As an editor does it: a new file in the place of the old one.
        if (rounds === 1) void writeFile(`${file}.new`, JSON.stringify({...exampleApp, id: 'paste', ...floating})).then(() => rename(`${file}.new`, file))
        else control.interrupt()
      },
    })
    expect({exitCode, rounds}).toEqual({exitCode: 0, rounds: 2})
    expect(stdout).toContain('image-unpinned')
    expect(stderr.startsWith('1 file, no problems\nwaiting for changes; Ctrl-C ends\n')).toBe(true)
  })

  test('of a single file, with --json a line for each check', async () => {
    const folder = await folderOf({'paste.json': {}})
    const file = path.join(folder, 'paste.json')
    let rounds = 0
    const {stdout, exitCode} = await validate([file, '--watch', '--json'], {
      onOutput: (stdoutSoFar, _, control) => {
        const seen = stdoutSoFar.split('\n').length - 1
        if (seen === rounds) return
        rounds = seen
        if (rounds === 1) void writeFile(file, '{')
        else control.interrupt()
      },
    })
    expect(exitCode).toBe(0)
    const lines = stdout.trim().split('\n').map((line) => JSON.parse(line))
    expect(lines).toMatchObject([{type: 'report', errors: 0}, {type: 'report', findings: [{rule: 'json-syntax'}, ...Array(lines[1].findings.length - 1).fill({})]}])
  })
})

test('modes of files survive mending', async () => {
  const folder = await folderOf({'paste.json': {min_engine: '1.0.0'}})
  await chmod(path.join(folder, 'paste.json'), 0o600)
  await validate([folder, '--fix'])
  const {stat} = await import('node:fs/promises')
  expect((await stat(path.join(folder, 'paste.json'))).mode & 0o777).toBe(0o600)
})
