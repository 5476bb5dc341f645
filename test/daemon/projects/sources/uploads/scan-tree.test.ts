import {describe, expect, it} from 'vitest'
import {openFiles} from '../../../../../daemon/projects/sources/open-files.js'
import {scanTree} from '../../../../../daemon/projects/sources/uploads/scan-tree.js'
import {FolderScan} from '../../../../../src/contract/uploads.js'

const hints = {name: 'shop', packageManager: null, stack: null}
const scan = (files: Readonly<Record<string, string>>, changes = {}) => scanTree(openFiles(files), {...hints, ...changes})

describe('what a folder holds', () => {
  it.each<[string, Record<string, string>, object]>([
    ['a Compose file', {'docker-compose.yml': 'services: {web: {image: "lab/web:1"}, api: {build: {context: api}}}', 'Dockerfile': ''}, {stack: 'compose', projectType: 'services', composePath: 'docker-compose.yml', dockerfile: 'Dockerfile', services: [{name: 'web', image: 'lab/web:1', build: null}, {name: 'api', image: null, build: 'api'}]}],
    ['the first of several Compose files', {'docker-compose.yml': 'services: {a: {image: a}}', 'compose.yaml': 'services: {b: {image: b}}'}, {composePath: 'compose.yaml', services: [{name: 'b', image: 'b', build: null}]}],
    ['a Dockerfile', {'Dockerfile': 'FROM x\nexpose 8080/tcp 9090\n'}, {stack: 'dockerfile', projectType: 'docker', dockerfile: 'Dockerfile', port: 8080, services: []}],
    ['a Dockerfile with a port that is none', {'Dockerfile': 'EXPOSE 99999\n'}, {port: 3000}],
    ['a Node project', {'package.json': '{"scripts": {"build": "b", "start": "s"}}', 'pnpm-lock.yaml': ''}, {stack: 'node', projectType: 'app', packageManager: 'pnpm', installCommand: 'pnpm install', buildCommand: 'pnpm run build', startCommand: 'pnpm run start'}],
    ['a workspace', {'package.json': '{"workspaces": ["a"]}'}, {projectType: 'monorepo', buildCommand: null, startCommand: null}],
    ['a Procfile', {'Procfile': 'worker: w\nweb:  gunicorn app  \n', 'requirements.txt': ''}, {stack: 'python', startCommand: 'gunicorn app', installCommand: null}],
    ['a manifest that can not be read', {'package.json': '{'}, {stack: 'node', installCommand: null}],
    ['nothing that is known', {'notes.txt': ''}, {stack: 'unknown', port: 3000}],
  ])('is told of %s', async (_, files, expected) => {
    const found = await scan(files)
    expect(found).toMatchObject(expected)
    expect(FolderScan.parse(found)).toEqual(found)
  })

  it('goes by what the client says only where no file tells', async () => {
    expect(await scan({'a': ''}, {packageManager: 'bun', stack: 'next'})).toMatchObject({packageManager: 'bun', stack: 'next'})
    expect(await scan({'yarn.lock': '', 'go.mod': ''}, {packageManager: 'bun', stack: 'next'})).toMatchObject({packageManager: 'yarn', stack: 'go'})
  })

  it('says what will keep it from being deployed', async () => {
    expect((await scan({'index.html': ''})).configDiagnostics).toEqual({errors: [{path: '/', message: expect.stringContaining('no Compose file and no Dockerfile')}], warnings: []})
    expect((await scan({'compose.yml': 'services: {web: {image: a, privileged: maybe, build: [}}'})).configDiagnostics.errors[0]).toMatchObject({path: '/compose.yml', message: expect.stringMatching(/^line \d+: /)})
  })
})
