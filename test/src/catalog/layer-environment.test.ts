import {expect, test} from 'vitest'
import {layerEnvironment} from '../../../src/catalog/layer-environment.js'

test('of the layers the later wins: project, captured, inline, rows', () => {
  const layers = {project: {A: 'p', B: 'p', C: 'p', D: 'p'}, captured: {B: 'c', C: 'c', D: 'c'}, inline: {C: 'i', D: 'i'}, rows: {D: 'r'}}
  expect(layerEnvironment(layers).environment).toEqual({A: 'p', B: 'c', C: 'i', D: 'r'})
})

test('a rollback has what was captured, whatever is written now', () => {
  expect(layerEnvironment({captured: {A: 'then'}, inline: {A: 'now', B: 'now'}, rows: {A: 'row'}, isRollback: true}).environment).toEqual({A: 'then', B: 'now'})
})

test('an empty inline value takes the place of none, and that is told by name', () => {
  expect(layerEnvironment({project: {A: 'p', B: ''}, inline: {A: '', B: '', C: ''}, rows: {}})).toEqual({environment: {A: 'p', B: '', C: ''}, ignoredEmpty: ['A']})
})

test('an empty row does take its place', () => {
  expect(layerEnvironment({project: {A: 'p'}, inline: {A: 'i'}, rows: {A: ''}})).toEqual({environment: {A: ''}, ignoredEmpty: []})
})
