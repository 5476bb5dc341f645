import {execFile} from 'node:child_process'
import {readdirSync, readFileSync} from 'node:fs'
import {isBuiltin} from 'node:module'
import path from 'node:path'
import {promisify} from 'node:util'
import {beforeAll, describe, expect, it} from 'vitest'
import {z} from 'zod'

const run = promisify(execFile)
const Package = z.object({
  bin: z.record(z.string(), z.string()),
  exports: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])),
  dependencies: z.record(z.string(), z.string()),
  scripts: z.record(z.string(), z.string()),
})
const manifest = Package.parse(JSON.parse(readFileSync('package.json', 'utf8')))
// Only asked for when a program runs from its sources, and tried before they are used.
const neverLoaded = ['typescript', 'ts-node', 'cpu-features', 'react-devtools-core']

describe('the package', () => {
  let files: string[]
  beforeAll(async () => {
    const {stdout} = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'])
    const [packed] = z.array(z.object({files: z.array(z.object({path: z.string()}))})).parse(JSON.parse(stdout))
    files = packed?.files.map((file) => file.path) ?? []
  })

  it('holds whatever its own description names', () => {
    const named = [...Object.values(manifest.bin), ...Object.values(manifest.exports).flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)))]
    expect(named.map((file) => path.normalize(file)).filter((file) => !files.includes(file))).toEqual([])
  })

  it('holds the daemon, the manifest, the licence, the documents and the unit', () => {
    expect(files).toEqual(expect.arrayContaining([
      'LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'dist/daemon/main.js', 'docs/operating.md', 'oclif.manifest.json', 'systemd/moorage.service',
    ]))
  })

  it('holds every command of the manifest as a file of its own', () => {
    const {commands} = z.object({commands: z.record(z.string(), z.object({relativePath: z.array(z.string())}))}).parse(JSON.parse(readFileSync('oclif.manifest.json', 'utf8')))
    const paths = Object.values(commands).map((command) => command.relativePath.join('/'))
    expect(paths.length).toBeGreaterThan(0)
    expect(new Set(paths).size).toBe(paths.length)
    expect(paths.filter((file) => !files.includes(file))).toEqual([])
  })

  it('leaves sources, tests and the marks of the build at home', () => {
    expect(files.filter((file) => /^(src|daemon|commands|test|scripts)\/|\.built-from|bin\/dev|\.map$/.test(file))).toEqual([])
  })

  it('needs nothing at run time but its dependencies', () => {
    const built = readdirSync('dist', {recursive: true, encoding: 'utf8'}).filter((file) => file.endsWith('.js'))
    const wanted = built.flatMap((file) => {
      const text = readFileSync(path.join('dist', file), 'utf8')
      // Statements of the bundle begin a line or follow a semicolon; quoted text that looks like one does not.
      return [...text.matchAll(/(?:^|[;}])import(?:[^"'();]*?from)?\s*["']([^"'./][^"']*)["']/gm)].map((match) => match[1] ?? '')
    })
    const packages = new Set(wanted.filter((name) => !isBuiltin(name)).map((name) => name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/')))
    expect([...packages].filter((name) => !(name in manifest.dependencies) && !neverLoaded.includes(name))).toEqual([])
  })

  it('asks for nothing to run when it is installed', () => {
    expect(Object.keys(manifest.scripts).filter((name) => ['preinstall', 'install', 'postinstall', 'prepare'].includes(name))).toEqual([])
  })
})
