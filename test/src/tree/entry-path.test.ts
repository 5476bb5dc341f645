import path from 'node:path'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {foldersAbove, toEntryPath} from '../../../src/tree/entry-path.js'

describe('the path of an entry', () => {
  it.each([
    ['a', {path: 'a'}], ['./a//b/', {path: 'a/b'}], ['.', {path: ''}], ['', {path: ''}], ['..a/...', {path: '..a/...'}], ['a\\b', {path: 'a\\b'}],
    ['/etc/passwd', {fault: 'absolute'}], ['//x', {fault: 'absolute'}], ['../a', {fault: 'leads out'}], ['a/../b', {fault: 'leads out'}], ['a/..', {fault: 'leads out'}],
    ['a\0b', {fault: 'unreadable'}], ['a\uFFFD', {fault: 'unreadable'}], ['n'.repeat(256), {fault: 'too long'}], ['n/'.repeat(2100), {fault: 'too long'}],
  ])('of %j is %j', (name, expected) => {
    expect(toEntryPath(name)).toEqual(expected)
  })

  it('never leads out, whatever it was made from', () => {
    const part = fc.oneof(fc.constantFrom('..', '.', '', 'a', '/', '...'), fc.string())
    fc.assert(
      fc.property(fc.array(part).map((parts) => parts.join('/')), (name) => {
        const found = toEntryPath(name)
        if ('fault' in found) return
        expect(path.posix.resolve('/top', found.path)).toBe(found.path === '' ? '/top' : `/top/${found.path}`)
      }),
    )
  })
})

it('knows the folders above a path', () => {
  expect(foldersAbove('a/b/c')).toEqual(['a', 'a/b'])
  expect(foldersAbove('a')).toEqual([])
})
