import {mkdir, realpath, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {fromServiceFields} from '../../../../src/compose/from-service-fields.js'
import {resolveMounts, type ResolvedMounts} from '../../../../daemon/projects/deployments/resolve-mounts.js'
import {indexedTree} from '../../../../daemon/projects/sources/indexed-tree.js'
import {openFiles} from '../../../../daemon/projects/sources/open-files.js'
import {openFolder} from '../../../../daemon/projects/sources/open-folder.js'
import type {SourceTree} from '../../../../daemon/projects/sources/source.js'
import {TreeIndex} from '../../../../daemon/projects/sources/tree-index.js'
import {temporaryFolder} from '../../start-test-daemon.js'
import {idle} from '../sources/tar-entries.js'

async function mounted(tree: SourceTree, volumes: readonly string[]): Promise<ResolvedMounts> {
  const {service} = fromServiceFields({
    name: 'web', image: 'lab/web:1', build: null, dockerfile: null, ports: [], volumes: [...volumes], dependsOn: [], environment: {}, command: null, commandArgv: null, restart: 'no', advanced: {},
  }, {folder: '.'})
  return resolveMounts(service, {folder: '/srv/shop', tree, signal: idle})
}

/** What a container sees, by path in it; undefined where nothing is written to the server for it. */
function seen({hostPaths, files}: ResolvedMounts): Record<string, Record<string, string> | undefined> {
  return Object.fromEntries(Object.entries(hostPaths).map(([target, place]) => {
    const path = place.slice('/srv/shop/'.length)
    const below = Object.entries(files).filter(([name]) => name === path || name.startsWith(`${path}/`))
    return [target, below.length === 0 ? undefined : Object.fromEntries(below.map(([name, {base64}]) => [name.slice(path.length + 1), Buffer.from(base64, 'base64').toString()]))]
  }))
}

describe('what a service mounts of its source', () => {
  it('is there although .dockerignore keeps it out of images', async () => {
    const tree = openFiles({'.dockerignore': '*.conf\nconfig\n', 'nginx.conf': 'events {}\n', 'config/app.yml': 'a: 1\n', 'deep/.dockerignore': '*\n', 'deep/one.txt': '1'})
    expect(seen(await mounted(tree, ['./nginx.conf:/etc/nginx.conf:ro', './config:/config', './deep:/deep']))).toEqual({
      '/etc/nginx.conf': {'': 'events {}\n'}, '/config': {'app.yml': 'a: 1\n'}, '/deep': {'.dockerignore': '*\n', 'one.txt': '1'},
    })
  })

  it('is what links of the source lead to, and nothing outside of it', async () => {
    const top = await realpath(await temporaryFolder())
    const [folder, home] = [join(top, 'site'), join(top, 'home')]
    for (const made of [home, join(folder, 'conf')]) await mkdir(made, {recursive: true})
    await writeFile(join(folder, 'real.conf'), 'real\n')
    await writeFile(join(top, 'outside'), 'no\n')
    await symlink('real.conf', join(folder, 'linked.conf'))
    await symlink('../real.conf', join(folder, 'conf/inner.conf'))
    await symlink('../../outside', join(folder, 'conf/outer.conf'))
    const tree = await openFolder(folder, {home, isAllowed: true, mostEntries: 100}, idle)
    expect(seen(await mounted(tree, ['./linked.conf:/linked.conf', './conf:/conf']))).toEqual({'/linked.conf': {'': 'real\n'}, '/conf': {'inner.conf': 'real\n'}})
  })

  it('is refused before it is read where it is too large, and leaves nothing open', async () => {
    const told: string[] = []
    const tree = indexedTree({
      kind: 'folder', commitSha: null, commitMessage: null, branch: null, treeId: 'x', changedSince: async () => null, dispose: async () => undefined,
      index: new TreeIndex([{path: 'dump/a.sql', type: 'file', mode: 0o644, size: 4, contentId: 'a'}, {path: 'dump/b.sql', type: 'file', mode: 0o644, size: 5_000_000_000, contentId: 'b'}]),
      openReader: () => ({
        async *read({path}) {
          told.push(`read ${path}`)
          yield Buffer.from('text')
        },
        async close() {
          told.push('closed')
        },
      }),
    })
    await expect(mounted(tree, ['./dump:/dump'])).rejects.toMatchObject({code: 'COMPOSE_INVALID', message: expect.stringContaining('20000000 bytes')})
    expect(told).toEqual(['read dump/a.sql', 'closed'])
  })
})
