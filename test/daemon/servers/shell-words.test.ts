import {execFileSync} from 'node:child_process'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {execPlan} from '../../../daemon/servers/exec-plan.js'
import {shellCommand, shellExports, shellLine, shellWord} from '../../../daemon/servers/shell-words.js'

const shells: readonly (readonly string[])[] = [['/bin/sh'], ['dash'], ['bash'], ['bash', '--posix'], ['busybox', 'sh'], ['zsh']]
const word = fc.string({unit: fc.oneof(fc.constantFrom("'", '"', '\\', '$', '`', '\n', ' ', '!', '*', '~', '=', '#', '-', '\r', '\t', '&', ';', '\u{1f600}'), fc.string({minLength: 1, maxLength: 1})), maxLength: 40})
  .filter((text) => !text.includes('\0') && Buffer.from(text).toString() === text)
const options = {numRuns: 25}

function run([file = '', ...args]: readonly string[], input: string): string {
  return execFileSync(file, args, {input, encoding: 'utf8', env: {PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8', HOME: '/nowhere'}})
}

describe.each(shells.map((shell) => [shell.join(' '), shell] as const))('quoting for %s', (_name, shell) => {
  test('gives every word of an argument list as it was', () => {
    fc.assert(fc.property(fc.array(word, {minLength: 1, maxLength: 5}), (words) => {
      expect(run([...shell, '-s'], shellCommand(['printf', '%s\\0', ...words]))).toBe(words.map((each) => `${each}\0`).join(''))
    }), options)
  })

  test('sets variables to what they were', () => {
    fc.assert(fc.property(word, (value) => {
      expect(run([...shell, '-s'], [...shellExports({M_TEST: value}), 'printenv M_TEST'].join('\n'))).toBe(`${value}\n`)
    }), options)
  })

  test('carries a whole command, its folder and its variables in one line that leaves the input alone', () => {
    fc.assert(fc.property(word, word, (value, argument) => {
      const plan = execPlan({command: ['sh', '-c', 'printf "%s\\0%s\\0" "$M_TEST" "$1"; pwd; cat', 'sh', argument], env: {M_TEST: value}, cwd: '/usr/bin', sudo: 'none', password: null})
      const [, ...args] = plan.words
      expect(run([...shell, ...args], `${plan.stdin.join('')}rest\nof it`)).toBe(`${value}\0${argument}\0/usr/bin\nrest\nof it`)
    }), options)
  })
})

test('leaves plain words readable and quotes all others', () => {
  expect(shellWord('/usr/bin/env')).toBe('/usr/bin/env')
  expect(shellCommand(['if', 'a b', "it's", '', 'A=b', '~'])).toBe("'if' 'a b' 'it'\\''s' '' 'A=b' '~'")
  expect(shellLine('a\nb')).toBe(`'a'"$m_nl"'b'`)
})

test('refuses what no shell can take', () => {
  for (const make of [() => shellWord('a\0'), () => shellLine('\0'), () => shellCommand(['a\0']), () => shellCommand([]), () => shellExports({'A-B': ''}), () => shellExports({'A=$(x)': ''}), () => shellExports({UID: '1'})]) {
    expect(make).toThrow(expect.objectContaining({code: 'VALIDATION_ERROR'}))
  }
})

test('keeps passwords and variables out of the arguments', () => {
  const plan = execPlan({command: ['id'], env: {TOKEN: 'planted'}, cwd: null, sudo: 'with_password', password: 'planted-password'})
  expect(plan.words.join(' ')).toBe('sudo -k -S -p  -- /bin/sh -c IFS= read -r m_line && eval "$m_line"')
  expect(plan.stdin[0]).toBe('planted-password\n')
})
