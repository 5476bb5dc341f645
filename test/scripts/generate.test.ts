import {readFile} from 'node:fs/promises'
import {describe, expect, it} from 'vitest'
import {renderCliPages, Manifest} from '../../scripts/cli-pages.js'
import {generatedFiles} from '../../scripts/generate.js'
import {faultTable} from '../../src/contract/faults.js'
import {contract} from '../../src/contract/index.js'

const files = generatedFiles()

describe('the generated files', () => {
  it.each([...files.keys()].filter((path) => !path.startsWith('docs/cli/')))('%s stands in the repository as it is made', async (path) => {
    expect(await readFile(path, 'utf8')).toBe(files.get(path))
  })

  it('list every error code with its status and exit number', () => {
    const page = files.get('docs/errors.md') ?? ''
    for (const [code, {status, exit}] of Object.entries(faultTable)) expect(page).toContain(`| \`${code}\` | ${status} | ${exit} |`)
  })

  it('describe every route on the page of its area and in the list', () => {
    for (const [area, routes] of Object.entries(contract)) {
      for (const name of Object.keys(routes)) {
        expect(files.get(`docs/api/${area}.md`)).toContain(`## ${area}.${name}\n`)
        expect(files.get('docs/api/README.md')).toContain(`\`${area}.${name}\``)
      }
    }
  })

  it('link only to records that are on the page', () => {
    for (const [path, text] of files) {
      if (!path.startsWith('docs/api/') || !path.endsWith('.md') || path.endsWith('README.md')) continue
      const titles = new Set([...text.matchAll(/^#+ (.+)$/gm)].map((match) => match[1]?.toLowerCase()))
      const links = [...text.matchAll(/\]\(#([\w-]+)\)/g)].map((match) => match[1])
      expect(links.filter((link) => !titles.has(link)), path).toEqual([])
    }
  })
})

describe('the command pages', () => {
  const json = {name: 'json', type: 'boolean', description: 'print JSON'}
  const manifest = Manifest.parse({
    commands: {
      status: {id: 'status', summary: 'show the daemon', args: {}, flags: {json}},
      'jobs:run': {
        id: 'jobs:run',
        summary: 'run a job',
        args: {key: {name: 'key', description: 'key of the job', required: true}},
        flags: {json, wait: {name: 'wait', char: 'w', type: 'boolean', description: 'wait for the end'}},
        examples: [{description: 'run one', command: '<%= config.bin %> <%= command.id %> custom:backup --wait'}],
      },
      'jobs:secret': {id: 'jobs:secret', hidden: true, args: {}, flags: {json}},
    },
  })
  const pages = renderCliPages(manifest)

  it('give each topic a page and list all commands that are not hidden', () => {
    expect([...pages.keys()]).toEqual(['README.md', 'jobs.md', 'general.md'])
    expect(pages.get('README.md')).toContain('[`moorage jobs run`](jobs.md#moorage-jobs-run)')
    expect([...pages.values()].join('')).not.toContain('secret')
  })

  it('show usage, flags and examples as they are typed, and shared flags once', () => {
    const page = pages.get('jobs.md') ?? ''
    expect(page).toContain('moorage jobs run KEY [flags]')
    expect(page).toContain('| `--wait`, `-w` | wait for the end |')
    expect(page).toContain('moorage jobs run custom:backup --wait')
    expect(page).not.toContain('--json')
    expect(pages.get('README.md')).toContain('| `--json` | print JSON |')
  })
})
