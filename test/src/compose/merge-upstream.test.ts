import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {driftedFields, mergeUpstream} from '../../../src/compose/merge-upstream.js'
import type {ServiceFields} from '../../../src/compose/to-service-fields.js'

const base: ServiceFields = {name: 'a', image: 'x:1', build: null, dockerfile: null, ports: ['80'], volumes: [], dependsOn: [], environment: {A: '1', B: '1'}, command: null, commandArgv: null, restart: 'no', advanced: {alias: 'web'}}

const some = fc.constantFrom('one', 'two', 'three')
const record = fc.dictionary(fc.constantFrom('A', 'B', 'C'), some)
const anyFields: fc.Arbitrary<ServiceFields> = fc.record({
  name: fc.constant('a'), image: fc.option(some), build: fc.option(some), dockerfile: fc.constant(null), ports: fc.array(some, {maxLength: 2}), volumes: fc.array(some, {maxLength: 1}), dependsOn: fc.constant([]), environment: record,
  command: fc.constant(null), commandArgv: fc.option(fc.array(some, {maxLength: 1})), restart: some, advanced: record,
})

describe('what the Compose file changes', () => {
  test('is taken over where nobody edited', () => {
    const now = {...base, image: 'x:2', environment: {A: '2', C: 'new'}, advanced: {}}
    expect(mergeUpstream(base, {before: base, now})).toEqual({row: now, drift: []})
  })

  test('leaves alone what was edited, and names where both changed', () => {
    const row = {...base, image: 'mine:1', ports: ['8080:80'], environment: {A: 'mine', B: '1', OWN: 'x'}, advanced: {alias: 'mine'}}
    const now = {...base, image: 'x:2', environment: {A: '2', B: '2'}}
    const merged = mergeUpstream(row, {before: base, now})
    expect(merged.row).toEqual({...row, environment: {A: 'mine', B: '2', OWN: 'x'}})
    expect(merged.drift).toEqual([
      {field: 'image', key: null, from: 'x:1', to: 'x:2'},
      {field: 'environment', key: 'A', from: '••••••••', to: '••••••••'},
    ])
    expect(driftedFields(merged.drift)).toEqual(['image', 'environment'])
  })

  test('is no drift where both came to the same', () => {
    const row = {...base, image: 'x:2'}
    expect(mergeUpstream(row, {before: base, now: row})).toEqual({row, drift: []})
  })

  test('takes away what it no longer has, unless it was edited', () => {
    const now = {...base, environment: {}, advanced: {}}
    const merged = mergeUpstream({...base, environment: {A: 'mine', B: '1'}}, {before: base, now})
    expect(merged.row.environment).toEqual({A: 'mine'})
    expect(merged.row.advanced).toEqual({})
    expect(merged.drift).toEqual([{field: 'environment', key: 'A', from: '••••••••', to: undefined}])
  })

  test('does not bring back what was taken out here', () => {
    expect(mergeUpstream({...base, environment: {A: '1'}}, {before: base, now: {...base, image: 'x:2'}}).row.environment).toEqual({A: '1'})
  })

  test('is drift all over for a service that was made by hand', () => {
    expect(mergeUpstream(base, {before: null, now: {...base, image: 'y', restart: 'always'}})).toMatchObject({row: base, drift: [{field: 'image'}, {field: 'restart'}]})
  })

  test('stays drift until it is taken or kept', () => {
    const row = {...base, image: 'mine:1'}
    const now = {...base, image: 'x:2'}
    expect(mergeUpstream(row, {before: now, now}).drift).toEqual([])
    expect(mergeUpstream(row, {before: now, now, drifted: ['image']}).drift).toEqual([{field: 'image', key: null, from: 'x:2', to: 'x:2'}])
    expect(mergeUpstream(now, {before: now, now, drifted: ['image']}).drift).toEqual([])
  })
})

describe('for any row and files', () => {
  test('an unedited row becomes what the file says', () => {
    fc.assert(fc.property(anyFields, anyFields, (before, now) => void expect(mergeUpstream(before, {before, now})).toEqual({row: now, drift: []})))
  })

  test('a file that did not change changes nothing', () => {
    fc.assert(fc.property(anyFields, anyFields, (row, before) => void expect(mergeUpstream(row, {before, now: before})).toEqual({row, drift: []})))
  })

  test('every value is that of the row or of the file, and an edited one is never lost', () => {
    fc.assert(
      fc.property(anyFields, anyFields, anyFields, (row, before, now) => {
        const merged = mergeUpstream(row, {before, now})
        for (const field of ['image', 'build', 'ports', 'volumes', 'commandArgv', 'restart'] as const) {
          const edited = JSON.stringify(row[field]) !== JSON.stringify(before[field])
          expect(merged.row[field]).toEqual(edited ? row[field] : now[field])
        }
        for (const key of ['A', 'B', 'C']) {
          const edited = row.environment[key] !== before.environment[key]
          expect(merged.row.environment[key]).toBe(edited ? row.environment[key] : now.environment[key])
        }
      }),
    )
  })

  test('merging once more changes nothing', () => {
    fc.assert(
      fc.property(anyFields, anyFields, anyFields, (row, before, now) => {
        const once = mergeUpstream(row, {before, now})
        const again = mergeUpstream(once.row, {before: now, now, drifted: driftedFields(once.drift)})
        expect(again.row).toEqual(once.row)
        expect(driftedFields(again.drift)).toEqual(driftedFields(once.drift))
      }),
    )
  })

  test('values of variables never show', () => {
    fc.assert(fc.property(anyFields, anyFields, anyFields, (row, before, now) => {
      for (const {field, from, to} of mergeUpstream(row, {before, now}).drift) if (field === 'environment') expect([from, to].every((value) => value === undefined || value === '••••••••')).toBe(true)
    }))
  })
})
