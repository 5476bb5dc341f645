import {existsSync, readFileSync} from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {settingVariables} from '../../daemon/settings.js'
import {Manifest} from '../../scripts/cli-pages.js'
import {lintDefinition} from '../../src/catalog/lint/lint-definition.js'

const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'docs/architecture.md', 'docs/operating.md', 'docs/security.md', 'docs/catalog.md', 'docs/deployments.md', 'docs/installed-apps.md', 'docs/ci.md']
const {commands} = Manifest.parse(JSON.parse(readFileSync('oclif.manifest.json', 'utf8')))

/** Every command line of this program in the shell blocks of a document, and in its running text. */
function commandLines(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap((match) => (match[1] ?? '').split('\n'))
  const inline = [...text.matchAll(/`(moorage [a-z][^`]*)`/g)].map((match) => match[1] ?? '')
  return [...blocks, ...inline].flatMap((line) => /^(?:sudo |[A-Z_]+=\S+ )?moorage ([a-z].*)$/.exec(line.trim())?.[1] ?? [])
}

const shown = documents.flatMap((file) => commandLines(file).map((line) => ({file, line})))

describe('the documents', () => {
  it.each(shown)('$file: moorage $line is a command with those flags', ({line}) => {
    const words = line.split(' ')
    const id = [2, 1].map((count) => words.slice(0, count).join(':')).find((candidate) => commands[candidate] !== undefined)
    const isTopic = words.length === 1 && Object.keys(commands).some((known) => known.startsWith(`${words[0]}:`))
    expect(id ?? isTopic).toBeTruthy()
    if (id === undefined) return
    const flags = [...line.replace(/'[^']*'/g, '').matchAll(/\s--([a-z-]+)/g)].map((match) => match[1] ?? '')
    expect(flags.filter((flag) => commands[id]?.flags[flag] === undefined)).toEqual([])
  })

  it('show commands at all', () => {
    expect(shown.length).toBeGreaterThan(15)
  })

  it.each(documents)('%s links to files that are there', (file) => {
    const links = [...readFileSync(file, 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? '')
    expect(links.filter((link) => !existsSync(path.join(path.dirname(file), link)))).toEqual([])
  })

  it('name every setting of the daemon with its variable and flags that it has', () => {
    const operating = readFileSync('docs/operating.md', 'utf8')
    for (const [key, variable] of Object.entries(settingVariables)) {
      const row = new RegExp(`^\\| (.+) \\| \`${variable}\` \\| \`${key}\` \\|`, 'm').exec(operating)?.[1] ?? ''
      const flags = [...row.matchAll(/`--(?:no-)?([a-z-]+)`/g)].map((match) => match[1] ?? '')
      expect(flags.length, key).toBeGreaterThan(0)
      expect(flags.filter((flag) => commands['daemon:run']?.flags[flag] === undefined), key).toEqual([])
    }
  })

  it('show definitions that the linter has nothing to say about', () => {
    const blocks = [...readFileSync('docs/catalog.md', 'utf8').matchAll(/```json\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
    const definitions = blocks.map((text) => {
      const value: object = JSON.parse(text)
      return 'services' in value ? text : JSON.stringify({id: 'x', name: 'X', description: 'X.', kind: 'template', logo: 'docker', category: 'other', available: true, services: [value]})
    })
    expect(definitions.length).toBeGreaterThan(1)
    for (const text of definitions) expect(lintDefinition(text).findings).toEqual([])
  })
})
