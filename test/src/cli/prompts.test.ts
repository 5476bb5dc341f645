import {PassThrough} from 'node:stream'
import {describe, expect, test} from 'vitest'
import type {Io} from '../../../src/cli/io.js'
import {Output} from '../../../src/cli/output.js'
import {Prompts} from '../../../src/cli/prompts.js'

function person(options: {terminal: boolean; json?: boolean; types?: string; signal?: AbortSignal}) {
  const stdin = Object.assign(new PassThrough(), {isTTY: options.terminal, setRawMode: () => undefined})
  const shown: string[] = []
  let toType = options.types
  const stderr = Object.assign(new PassThrough(), {isTTY: options.terminal})
  stderr.on('data', (bytes: Buffer) => {
    shown.push(bytes.toString())
    const typed = toType
    toType = undefined
    if (typed !== undefined) setImmediate(() => stdin.write(typed))
  })
  const io: Io = {
    stdin, stderr, stdout: Object.assign(new PassThrough(), {isTTY: options.terminal}), variables: {}, isRoot: false, homeFolder: '/', now: () => 0, setExitCode: () => undefined,
    onInterrupt: () => () => undefined, onResize: () => () => undefined,
  }
  const output = new Output(io, {json: options.json === true, quiet: false, verbose: false, noColorFlag: true}, {noColor: true, forceColor: undefined, dumbTerminal: false, ci: false})
  return {stdin, shown: () => shown.join(''), prompts: new Prompts(io, output, options.signal ?? new AbortController().signal)}
}

describe('a question', () => {
  test('takes the answer, without the white space around it', async () => {
    const {prompts, shown} = person({terminal: true, types: ' shop \r'})
    expect(await prompts.ask({text: 'Name', flag: '--name'})).toBe('shop')
    expect(shown()).toContain('Name: ')
  })

  test('takes its default for an empty answer', async () => {
    expect(await person({terminal: true, types: '\r'}).prompts.ask({text: 'Name', flag: '--name', default: 'shop'})).toBe('shop')
  })

  test('without default and answer fails, naming the flag', async () => {
    await expect(person({terminal: true, types: '\r'}).prompts.ask({text: 'Name', flag: '--name'})).rejects.toMatchObject({code: 'USAGE', message: expect.stringContaining('--name')})
  })

  test.each([['off a terminal', {terminal: false}], ['with --json', {terminal: true, json: true}]])('is not asked %s', async (_, options) => {
    const {prompts, shown} = person(options)
    await expect(prompts.ask({text: 'Name', flag: '--name'})).rejects.toMatchObject({code: 'USAGE'})
    await expect(prompts.askSecret({text: 'Token', flag: '--token-stdin'})).rejects.toMatchObject({code: 'USAGE'})
    await expect(prompts.confirm('Sure?', false)).rejects.toMatchObject({code: 'CONFIRMATION_REQUIRED'})
    expect(shown()).toBe('')
  })

  test('ends with the signal', async () => {
    const controller = new AbortController()
    const {prompts} = person({terminal: true, signal: controller.signal})
    const asked = prompts.ask({text: 'Name', flag: '--name'})
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(asked).rejects.toBe(reason)
  })

  test('ends as interrupted with Ctrl-C, which a terminal hands over as a key', async () => {
    await expect(person({terminal: true, types: '\u0003'}).prompts.ask({text: 'Name', flag: '--name'})).rejects.toMatchObject({code: 'INTERRUPTED'})
  })
})

test('a secret is taken and never shown', async () => {
  const {prompts, shown} = person({terminal: true, types: 'planted\r'})
  expect(await prompts.askSecret({text: 'Token', flag: '--token-stdin'})).toBe('planted')
  expect(shown()).not.toContain('planted')
})

describe('a confirmation', () => {
  test.each([['y', true], ['yes', true], ['Y', true], ['n', false], ['', false], ['yep', false]])('answered with %j is %s', async (answer, isYes) => {
    const confirmed = person({terminal: true, types: `${answer}\r`}).prompts.confirm('Sure?', false)
    if (isYes) await confirmed
    else await expect(confirmed).rejects.toMatchObject({code: 'CONFIRMATION_REQUIRED'})
  })

  test('given as a flag is not asked', async () => {
    const {prompts, shown} = person({terminal: true})
    await prompts.confirm('Sure?', true)
    expect(shown()).toBe('')
  })
})

describe('readInput', () => {
  test.each([['secret\n', 'secret'], ['secret\r\n', 'secret'], ['two\nlines\n', 'two\nlines'], [' spaces ', ' spaces ']])('takes %j as %j', async (text, expected) => {
    const {stdin, prompts} = person({terminal: false})
    stdin.end(text)
    expect(await prompts.readInput('the password', '--password-stdin')).toBe(expected)
  })

  test('refuses nothing and too much', async () => {
    const empty = person({terminal: false})
    empty.stdin.end('\n')
    await expect(empty.prompts.readInput('the password', '--password-stdin')).rejects.toMatchObject({code: 'USAGE'})
    const large = person({terminal: false})
    large.stdin.end('x'.repeat(1_000_001))
    await expect(large.prompts.readInput('the password', '--password-stdin')).rejects.toMatchObject({code: 'USAGE'})
  })
})
