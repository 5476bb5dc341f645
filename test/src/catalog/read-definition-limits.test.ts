import {expect, it} from 'vitest'
import {readDefinition} from '../../../src/catalog/read-definition.js'

const app = {id: 'a', name: 'A', description: 'd', kind: 'template', logo: 'l', category: 'other'}

function nest(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}

it('refuses a value that is nested too deep, whatever else is wrong with it, and names the limit', () => {
  expect(readDefinition({...app, x: nest(99)}).issues).toEqual([])
  for (const levels of [100, 200_000]) {
    expect(readDefinition({...app, name: 1, x: nest(levels)}).issues).toEqual([{rule: 'out-of-bounds', path: [], message: 'the nesting is deeper than 100 levels'}])
  }
})

it('answers in time however many parts are broken, and names the first two thousand', () => {
  const tags = Array.from({length: 400_000}, (_, index) => (index % 2 === 0 ? 'a' : 1))
  const startedMs = performance.now()
  expect(readDefinition({...app, tags}).issues).toHaveLength(2000)
  expect(performance.now() - startedMs).toBeLessThan(8000)
})

it('still reads the rest where only a few parts are broken', () => {
  expect(readDefinition({...app, tags: ['a', 1]}).view?.definition).toMatchObject({id: 'a', tags: ['a']})
})
