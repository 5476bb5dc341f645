import {expect, test} from 'vitest'
import {readPlainScalar} from '../../../src/compose/plain-scalar.js'

test.each([
  ['', null], ['~', null], ['null', null], ['Null', null], ['nUll', 'nUll'],
  ['true', 'true'], ['True', 'true'], ['FALSE', 'false'], ['tRue', 'tRue'],
  // What older YAML took for something else stays a text.
  ['yes', 'yes'], ['on', 'on'], ['No', 'No'], ['2001-01-01', '2001-01-01'], ['22:22', '22:22'], ['1.2.3', '1.2.3'], ['1,5', '1,5'],
  ['0', '0'], ['12', '12'], ['+12', '12'], ['-0', '0'], ['-7', '-7'], ['1_000', '1000'], ['0755', '493'], ['0o17', '15'], ['0x1F', '31'], ['0b101', '5'], ['08', '8'], ['-0x10', '-16'],
  ['18446744073709551615', '18446744073709551615'], ['18446744073709551616', '18446744073709552000'],
  ['1.10', '1.1'], ['1.0', '1'], ['.5', '0.5'], ['5.', '5'], ['1e3', '1000'], ['1e21', '1e+21'], ['0.00001', '1e-05'], ['0.0001', '0.0001'], ['0.0', '0'], ['1e400', '+Inf'],
  ['-', '-'], ['+', '+'], ['.', '.'], ['-a', '-a'], ['1a', '1a'], ['0x', '0x'],
])('%j without quotes is %j', (written, meant) => {
  expect(readPlainScalar(written)).toBe(meant)
})
