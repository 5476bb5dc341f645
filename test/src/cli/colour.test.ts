import {expect, test} from 'vitest'
import {hasColour} from '../../../src/cli/colour.js'

const quiet = {noColor: false, forceColor: undefined, dumbTerminal: false}
const switches = {json: false, noColorFlag: false}

test.each([
  ['a terminal has colour', true, switches, quiet, true],
  ['a pipe has none', false, switches, quiet, false],
  ['--json beats everything', true, {...switches, json: true}, {...quiet, forceColor: true}, false],
  ['--no-color beats FORCE_COLOR', true, {...switches, noColorFlag: true}, {...quiet, forceColor: true}, false],
  ['NO_COLOR beats FORCE_COLOR', true, switches, {...quiet, noColor: true, forceColor: true}, false],
  ['FORCE_COLOR beats TERM=dumb and the pipe', false, switches, {...quiet, forceColor: true, dumbTerminal: true}, true],
  ['FORCE_COLOR=0 takes it from a terminal', true, switches, {...quiet, forceColor: false}, false],
  ['TERM=dumb takes it from a terminal', true, switches, {...quiet, dumbTerminal: true}, false],
])('%s', (_, isTerminal, given, environment, expected) => {
  expect(hasColour(isTerminal, given, environment)).toBe(expected)
})
