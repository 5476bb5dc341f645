import {buffer} from 'node:stream/consumers'
import {describe, expect, it} from 'vitest'
import {openFiles} from '../../../../daemon/projects/sources/open-files.js'
import {entriesOf, idle, packedText} from './tar-entries.js'

describe('files in memory', () => {
  const tree = openFiles({'web/Dockerfile': 'FROM x\n', 'web/start.sh': '#!/bin/sh\n', 'api/Dockerfile': 'FROM y\n', 'api/deep/er/a.txt': 'ä', '..keep': 'k'})

  it('are a tree of texts', async () => {
    expect(tree).toMatchObject({kind: 'app', commitSha: null, commitMessage: null, branch: null})
    expect(await tree.readText('./api/deep/er/a.txt', 10)).toBe('ä')
    expect(await tree.readText('api/none', 10)).toBeUndefined()
    expect(await tree.readText('api', 10)).toBeUndefined()
    expect([await tree.has('web'), await tree.has('web/Dockerfile'), await tree.has('.'), await tree.has('x'), await tree.has('../web'), await tree.has('/web')]).toEqual(['folder', 'file', 'folder', undefined, undefined, undefined])
    expect(await tree.list('api')).toEqual(['api/Dockerfile', 'api/deep/er/a.txt'])
    expect(await tree.list('.')).toHaveLength(5)
    expect(await tree.list('none')).toEqual([])
    await expect(tree.readText('api/Dockerfile', 3)).rejects.toMatchObject({code: 'COMPOSE_INVALID', details: {path: 'api/Dockerfile', sizeBytes: 7, maxBytes: 3}})
    expect(await tree.changedSince('abc', idle)).toBeNull()
  })

  it('are packed with their folders before them, and scripts that may be run', async () => {
    const packed = await entriesOf(tree.pack('.', {dockerfile: 'web/Dockerfile', signal: idle}))
    expect([...packed.keys()]).toEqual(['..keep', 'api', 'api/Dockerfile', 'api/deep', 'api/deep/er', 'api/deep/er/a.txt', 'web', 'web/Dockerfile', 'web/start.sh'])
    expect(packed.get('web/start.sh')?.mode).toBe(0o755)
    expect(packed.get('web/Dockerfile')?.mode).toBe(0o644)
    expect(await packedText(tree.pack('api/deep', {dockerfile: 'Dockerfile', signal: idle}))).toEqual({'er': '/', 'er/a.txt': 'ä'})
  })

  it('have one identity, whatever their order, and another once one differs', async () => {
    const make = (files: Record<string, string>) => openFiles(files)
    expect(make({a: '1', b: '2'}).treeId).toBe(make({b: '2', a: '1'}).treeId)
    expect(new Set([{a: '1'}, {a: '2'}, {b: '1'}, {a: '1', b: '1'}, {a: '#!1'}].map((files) => make(files).treeId)).size).toBe(5)
    const first = await buffer(make({a: '1', b: '2'}).pack('.', {dockerfile: 'Dockerfile', signal: idle}))
    expect(first.equals(await buffer(make({b: '2', a: '1'}).pack('.', {dockerfile: 'Dockerfile', signal: idle})))).toBe(true)
  })

  it.each([[{'../a': ''}], [{'/a': ''}], [{'': ''}], [{'a/../../b': ''}], [{'a': '', './a': ''}], [{'a': '', 'a/b': ''}]])('refuse %j', (files) => {
    expect(() => openFiles(files)).toThrow(expect.objectContaining({code: 'SOURCE_UNAVAILABLE', details: expect.objectContaining({reason: 'folder'})}))
  })
})

describe('the context of a build', () => {
  const files = {
    'app/Dockerfile': 'FROM x\n', 'app/Dockerfile.dev': 'FROM y\n', 'app/.dockerignore': '**\n!src\n', 'app/Dockerfile.dev.dockerignore': '*.md\n',
    'app/src/a.js': 'a', 'app/src/a.md': 'm', 'app/README.md': 'r', 'other.txt': 'o',
  }

  it('is what .dockerignore leaves, with the Dockerfile and that file in any case', async () => {
    const tree = openFiles(files)
    expect(Object.keys(await packedText(tree.pack('app', {dockerfile: 'Dockerfile', signal: idle})))).toEqual(['.dockerignore', 'Dockerfile', 'src', 'src/a.js', 'src/a.md'])
  })

  it('goes by the ignore file that is named after the Dockerfile first', async () => {
    const packed = await packedText(openFiles(files).pack('./app/', {dockerfile: './Dockerfile.dev', signal: idle}))
    expect(Object.keys(packed)).toEqual(['.dockerignore', 'Dockerfile', 'Dockerfile.dev', 'Dockerfile.dev.dockerignore', 'src', 'src/a.js', 'src/a.md'])
    expect(await openFiles(files).contextId('app', {dockerfile: 'Dockerfile'})).not.toBe(await openFiles(files).contextId('app', {dockerfile: 'Dockerfile.dev'}))
  })

  it('takes a Dockerfile along that is only a text, which no COPY sees', async () => {
    const pack = (folder: string, dockerfile: string) => packedText(openFiles(files).pack(folder, {dockerfile, dockerfileText: 'FROM z\n', signal: idle}))
    expect(await pack('app', '.dockerfile.inline')).toEqual({'.dockerfile.inline': 'FROM z\n', '.dockerignore': '**\n!src\n\n.dockerfile.inline\n', 'src': '/', 'src/a.js': 'a', 'src/a.md': 'm'})
    expect(await pack('app/src', 'a.js')).toEqual({'a.js': 'FROM z\n', '.dockerignore': '.dockerignore\na.js\n', 'a.md': 'm'})
  })

  it('has an identity that only what is in it changes', async () => {
    const idOf = (changes: Record<string, string>) => openFiles({...files, ...changes}).contextId('app', {dockerfile: 'Dockerfile'})
    const id = await idOf({})
    expect(await idOf({'app/README.md': 'changed', 'other.txt': 'changed', 'app/new.md': ''})).toBe(id)
    expect(await idOf({'app/src/a.js': 'changed'})).not.toBe(id)
    expect(await idOf({'app/src/new.js': ''})).not.toBe(id)
  })

  it('is not there where its folder is not', async () => {
    const tree = openFiles(files)
    await expect(buffer(tree.pack('none', {dockerfile: 'Dockerfile', signal: idle}))).rejects.toMatchObject({code: 'SOURCE_UNAVAILABLE', details: {reason: 'folder', folder: 'none'}})
    await expect(buffer(tree.pack('other.txt', {dockerfile: 'Dockerfile', signal: idle}))).rejects.toMatchObject({details: {reason: 'folder'}})
    await expect(tree.contextId('../app', {dockerfile: 'Dockerfile'})).rejects.toMatchObject({details: {reason: 'folder'}})
  })

  it('ends with the reason of who cancels it', async () => {
    const stopping = new AbortController()
    const stream = openFiles(files).pack('.', {dockerfile: 'x', signal: stopping.signal})
    stopping.abort(new Error('the deployment was cancelled'))
    await expect(buffer(stream)).rejects.toThrow('the deployment was cancelled')
    await expect(buffer(openFiles(files).pack('.', {dockerfile: 'x', signal: stopping.signal}))).rejects.toThrow('the deployment was cancelled')
  })
})
