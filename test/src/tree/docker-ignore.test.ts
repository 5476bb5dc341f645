import {createRequire} from 'node:module'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {parseDockerIgnore} from '../../../src/tree/docker-ignore.js'

const kept = (text: string, paths: readonly string[]) => paths.filter((path) => !parseDockerIgnore(text).ignores(path))

describe('a .dockerignore', () => {
  it.each<[string, string, string[], string[]]>([
    ['a name is a path from the top, with all that is below', 'node_modules', ['node_modules', 'node_modules/a/b', 'node_modules2', 'sub/node_modules'], ['node_modules2', 'sub/node_modules']],
    ['a leading slash, ./ and a trailing slash mean nothing', '/a/\n./b\nc//d/', ['a', 'a/x', 'b', 'c/d', 'c/e'], ['c/e']],
    ['.. within a path is worked out, and what leads out names nothing', 'a/../b\n../c', ['a', 'b', 'c'], ['a', 'c']],
    ['* stays within a name', '*.log\ntmp/*', ['a.log', 'x/a.log', 'tmp/a', 'tmp/a/b', 'tmp'], ['x/a.log', 'tmp']],
    ['a * that fits a folder takes what is in it', '*/temp*', ['a/temp', 'a/temporary/b', 'a/b/temp', 'temp'], ['a/b/temp', 'temp']],
    ['? is one character', 'te?t', ['test', 'tet', 'te/t', 'te\u{1F600}t'], ['tet', 'te/t']],
    ['** is any number of folders', '**/*.go\nx/**/y', ['a.go', 'a/b/c.go', 'x/y', 'x/1/2/y', 'z/x/y'], ['z/x/y']],
    ['** at the end is everything below', 'a/**', ['a', 'a/b', 'a/b/c', 'ab'], ['a', 'ab']],
    ['** alone is everything', '**', ['a', 'a/b'], []],
    ['** before a name is that name anywhere', '**/secret', ['secret', 'a/secret', 'a/secret/b', 'asecret', 'secrets'], ['asecret', 'secrets']],
    ['** right before an ending is that ending anywhere', '**.pem', ['a.pem', 'b/c.pem', 'd.pem/e', 'pem'], ['pem']],
    ['the last line that fits decides', '*.md\n!README.md\nREADME-secret.md', ['README.md', 'README-secret.md', 'x.md'], ['README.md']],
    ['an exception takes back what is below a folder', 'dist\n!dist/keep', ['dist/a', 'dist/keep', 'dist/keep/b'], ['dist/keep', 'dist/keep/b']],
    ['an exception that something later leaves out again counts no more', '*\n!a\na/b', ['a', 'a/b', 'a/c', 'd'], ['a', 'a/c']],
    ['white space around a line and after ! goes', '  a  \n!  a/b ', ['a/x', 'a/b'], ['a/b']],
    ['# is a comment at the very start only', '# a\n #b\nc#', ['# a', '#b', 'c#'], ['# a']],
    ['a byte order mark and Windows line ends are no part of it', '\uFEFFa\r\nb\r\n', ['a', 'b'], []],
    ['blank lines, a lone ! and a lone . do nothing', '\n \n!\n.\n/', ['a', '.'], ['a', '.']],
    ['capitals count', 'README', ['README', 'readme'], ['readme']],
    ['brackets are a set of characters', '[a-c]x\n[^a]y\n[]z]', ['ax', 'dx', 'ay', 'by', ']', 'z'], ['dx', 'ay']],
    ['a backslash takes the meaning of the next character', '\\*\na\\?b\n\\[x]', ['*', 'x', 'a?b', 'axb', '[x]'], ['x', 'axb']],
    ['a bracket that never closes stands for itself', 'a[b\n[', ['a[b', '[', 'ab'], ['ab']],
    ['signs that mean something elsewhere mean nothing here', 'a+(b){1}|$^.x', ['a+(b){1}|$^.x', 'aab', 'a+(b){1}|$^_x'], ['aab', 'a+(b){1}|$^_x']],
    ['names of built-in properties are names', 'x', ['constructor', '__proto__', 'toString'], ['constructor', '__proto__', 'toString']],
  ])('%s', (_, text, paths, expected) => {
    expect(kept(text, paths)).toEqual(expected)
  })

  it('says whether anything is taken back, and puts defaults before the lines of the file', () => {
    expect(parseDockerIgnore('a\n#!b').hasExceptions).toBe(false)
    expect(parseDockerIgnore('a\n!b').hasExceptions).toBe(true)
    expect(parseDockerIgnore('!.git', ['.git']).ignores('.git/config')).toBe(false)
    expect(parseDockerIgnore('', ['.git']).ignores('.git/config')).toBe(true)
  })

  it('answers soon, whatever the pattern', () => {
    const ignore = parseDockerIgnore(`${'**/'.repeat(40)}${'*a'.repeat(40)}b`)
    const startedAt = performance.now()
    expect(ignore.ignores(`${'a'.repeat(200)}/`.repeat(15))).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })

  it('agrees with another reader of the format where that one knows it all', () => {
    const other = createRequire(import.meta.url)('@balena/dockerignore') as (options: {ignorecase: boolean}) => {add(lines: readonly string[]): {ignores(path: string): boolean}}
    const name = fc.constantFrom('a', 'b', 'ab', 'c.d')
    const path = fc.array(name, {minLength: 1, maxLength: 4}).map((parts) => parts.join('/'))
    const piece = fc.constantFrom('a', 'b', 'ab', 'c.d', '*', 'a*', '*b', '?', '**', '*.d')
    const line = fc.tuple(fc.constantFrom('', '!'), fc.array(piece, {minLength: 1, maxLength: 4})).map(([sign, parts]) => sign + parts.join('/'))
    fc.assert(
      fc.property(fc.array(line, {minLength: 1, maxLength: 5}), path, (lines, file) => {
        expect(parseDockerIgnore(lines.join('\n')).ignores(file)).toBe(other({ignorecase: false}).add(lines).ignores(file))
      }),
      {numRuns: 3000},
    )
  })
})
