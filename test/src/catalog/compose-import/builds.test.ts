import {describe, expect, test} from 'vitest'
import {inlineDockerfile} from '../../../../src/catalog/compose-import/dockerfile.js'
import {importService, importText} from './import-text.js'

const node = 'FROM node:20.19-alpine\nWORKDIR /app\nCOPY package*.json ./\nRUN npm ci\nCOPY . .\nCMD ["node", "server.js"]\n'
const files = {Dockerfile: node, 'package.json': '{}', 'package-lock.json': '{}', 'src/server.js': 'x', '.dockerignore': 'docs\n*.md\n!README.md\n', 'docs/a.txt': 'a', 'notes.md': 'n', 'README.md': 'r'}

describe('a build', () => {
  test('brings its Dockerfile and what it copies, each in the folder of the service', () => {
    const {web, notes} = importService({image: undefined, build: '.'}, {files})
    expect(web.image).toBeUndefined()
    expect(web.build?.dockerfile).toBe(node.replace('package*.json', 'web/package*.json').replace('COPY . .', 'COPY web/ .'))
    expect(web.build?.files?.map(({path}) => path)).toEqual(['.dockerignore', 'Dockerfile', 'README.md', 'package-lock.json', 'package.json', 'src/server.js'])
    expect(notes).toContainEqual(expect.objectContaining({level: 'changed', key: 'build'}))
  })

  test.each([
    [{context: './app', dockerfile: 'Dockerfile.prod'}, {'app/Dockerfile.prod': 'FROM alpine:3.22\nCOPY run.sh /\n', 'app/run.sh': 'x'}, 'FROM alpine:3.22\nCOPY web/run.sh /\n'],
    [{context: '.', dockerfile_inline: 'FROM alpine:3.22\nRUN true\n'}, {}, 'FROM alpine:3.22\nRUN true\n'],
    [{context: '.', args: {VERSION: 2, UNUSED: 'x'}}, {Dockerfile: 'ARG VERSION=1\nFROM a:$VERSION\n'}, 'ARG VERSION="2"\nFROM a:$VERSION\n'],
    [{context: '.', args: ['VERSION=${V:-3}']}, {Dockerfile: 'ARG VERSION\nFROM a:$VERSION\n'}, 'ARG VERSION="3"\nFROM a:$VERSION\n'],
    [{context: '.', target: 'dev'}, {Dockerfile: 'FROM a:1 AS dev\nRUN x\nFROM b:1\nCOPY --from=dev /x /x\n'}, 'FROM a:1 AS dev\nRUN x\n'],
  ])('%j is carried', (build, given, dockerfile) => {
    expect(importService({image: undefined, build}, {files: given}).web.build?.dockerfile).toBe(dockerfile)
  })

  test('falls back to the published image where it can not be carried', () => {
    const {web, lost} = importService({image: 'ghcr.io/example/shop:1.4.2', build: '../elsewhere'})
    expect([web.image, web.build, lost]).toEqual(['ghcr.io/example/shop:1.4.2', undefined, ['build']])
  })

  test.each([
    ['https://github.com/example/shop.git', {}],
    ['.', {}],
    ['.', {Dockerfile: 'FROM a:1\nCOPY big.txt /\n', 'big.txt': 'x'.repeat(500_000)}],
  ])('from %s leaves a stand-in for the image, and is told', (build, given) => {
    const {web, lost} = importService({image: undefined, build}, {files: given})
    expect(web.image).toBe('replace-me/web:0.0.0')
    expect(lost).toEqual(['build', 'image'])
  })

  test('tells what the Dockerfile copies and is not there, and what else it can not carry', () => {
    const {notes} = importService({image: undefined, build: {context: '.', ssh: ['default'], args: {NONE: 1}}}, {files: {Dockerfile: 'FROM a:1\nCOPY gone /\nRUN --mount=type=bind,source=x,target=/x true\n'}})
    expect(notes.filter(({key}) => key.startsWith('build')).map(({level, key}) => `${level} ${key}`)).toEqual(['lost build.ssh', 'lost build.args', 'check build', 'check build', 'changed build'])
  })

  test('of two services that share a folder brings the files to both', () => {
    const {definition} = importText({services: {'My Web': {build: '.'}, worker: {build: '.'}}}, {files: {Dockerfile: 'FROM a:1\nCOPY x /x\n', x: '1'}})
    expect(definition.services?.map(({build}) => build?.dockerfile)).toEqual(['FROM a:1\nCOPY my-web/x /x\n', 'FROM a:1\nCOPY worker/x /x\n'])
  })
})

describe('instructions', () => {
  const inline = (text: string, available: readonly string[] = ['a', 'b.txt', 'dir/c']) => inlineDockerfile(text, {folder: 'web', available, args: new Map(), target: undefined})

  test.each([
    ['COPY a /x', 'COPY web/a /x', ['a']],
    ['copy ./a /x', 'COPY web/a /x', ['a']],
    ['COPY --chown=1:1 --link a b.txt /x/', 'COPY --chown=1:1 --link web/a web/b.txt /x/', ['a', 'b.txt']],
    ['COPY ["a", "/x y"]', 'COPY ["web/a","/x y"]', ['a']],
    ['ADD dir/ /x/', 'ADD web/dir/ /x/', ['dir/c']],
    ['ADD https://example.com/a.tgz /x', 'ADD https://example.com/a.tgz /x', []],
    ['COPY --from=build /a /b', 'COPY --from=build /a /b', []],
    ['COPY *.txt /x/', 'COPY web/*.txt /x/', ['b.txt']],
    ['COPY a \\\n  # why\n  b.txt /x/', 'COPY web/a web/b.txt /x/', ['a', 'b.txt']],
    ['COPY / /x', 'COPY web/ /x', ['a', 'b.txt', 'dir/c']],
    ['# COPY a /x', '# COPY a /x', []],
    ['RUN echo \\\n  COPY a /x', 'RUN echo \\\n  COPY a /x', []],
    ['COPY <<EOF /x\nCOPY a /b\nEOF', 'COPY <<EOF /x\nCOPY a /b\nEOF', []],
    ['RUN <<EOF\nCOPY a /b\nEOF\nCOPY a /c', 'RUN <<EOF\nCOPY a /b\nEOF\nCOPY web/a /c', ['a']],
  ])('%j', (text, expected, used) => {
    const result = inline(`${text}\n`)
    expect(result.text).toBe(`${expected}\n`)
    expect(result.used).toEqual(used)
    expect(result.missing).toEqual([])
  })
})
