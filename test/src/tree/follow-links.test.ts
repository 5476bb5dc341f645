import {mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync} from 'node:fs'
import {tmpdir} from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {followLinks} from '../../../src/tree/follow-links.js'

const follow = (from: string, links: Readonly<Record<string, string>>) => followLinks(from, (place) => (Object.hasOwn(links, place) ? links[place] : undefined))

describe('a path through links', () => {
  it.each<[string, Record<string, string>, object]>([
    ['a', {}, {path: 'a'}], ['a/../b', {}, {path: 'b'}], ['..', {}, {fault: 'leads out'}], ['a/../..', {}, {fault: 'leads out'}], ['', {}, {path: ''}],
    ['l', {l: 'a/b'}, {path: 'a/b'}], ['l/c', {l: 'a'}, {path: 'a/c'}], ['d/l', {'d/l': '../x'}, {path: 'x'}], ['d/l', {'d/l': '../../x'}, {fault: 'leads out'}],
    ['l', {l: '/etc'}, {fault: 'leads out'}], ['l', {l: ''}, {fault: 'leads out'}], ['l', {l: 'l'}, {fault: 'loops'}], ['a', {a: 'b', b: 'a'}, {fault: 'loops'}],
    ['l/..', {l: 'a/b'}, {path: 'a'}], ['s', {'p/q/r': '../..', 's': 'p/q/r/../x'}, {fault: 'leads out'}], ['l', {l: 'm/../y', m: 'a/b/c'}, {path: 'a/b/y'}],
  ])('%s with the links %j ends at %j', (from, links, expected) => {
    expect(follow(from, links)).toEqual(expected)
  })

  it('ends where the file system says, and leads out where that does', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const step = fc.oneof({weight: 3, arbitrary: name}, {weight: 2, arbitrary: fc.constant('..')})
    const linkPath = fc.tuple(fc.constantFrom('d', 'd/e', 'd/e/f'), name).map((parts) => parts.join('/'))
    const links = fc.uniqueArray(fc.tuple(linkPath, fc.array(step, {minLength: 1, maxLength: 4}).map((parts) => parts.join('/'))), {selector: ([from]) => from, maxLength: 5})
    fc.assert(
      fc.property(links, fc.array(fc.oneof(name, fc.constantFrom('..', 'd', 'e', 'f')), {minLength: 1, maxLength: 5}), (made, steps) => {
        const outside = mkdtempSync(path.join(realpathSync(tmpdir()), 'moorage-links-'))
        const top = path.join(outside, 'top')
        try {
          mkdirSync(path.join(top, 'd/e/f'), {recursive: true})
          for (const [from, target] of made) symlinkSync(target, path.join(top, from))
          const found = follow(steps.join('/'), Object.fromEntries(made))
          let real: string
          try {
            // Not by path.join, which would take `..` away before the file system sees it.
            real = realpathSync.native(`${top}/${steps.join('/')}`)
          } catch {
            // What is not there has no end to compare; it still must not be said to be inside where a part of it leads out.
            return
          }
          if ('path' in found) expect(real).toBe(found.path === '' ? top : path.join(top, found.path))
          else if (!`${real}/`.startsWith(`${top}/`)) expect(found).toEqual({fault: 'leads out'})
        } finally {
          rmSync(outside, {recursive: true, force: true})
        }
      }),
      {numRuns: 300},
    )
  })
})
