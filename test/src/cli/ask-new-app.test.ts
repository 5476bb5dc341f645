import {PassThrough} from 'node:stream'
import {expect, test} from 'vitest'
import {askNewApp} from '../../../src/cli/ask-new-app.js'
import type {Io} from '../../../src/cli/io.js'
import {Output} from '../../../src/cli/output.js'
import {Prompts} from '../../../src/cli/prompts.js'

/** Somebody who presses Enter whatever is asked. */
function silentPerson() {
  const stdin = Object.assign(new PassThrough(), {isTTY: true, setRawMode: () => undefined})
  const stderr = Object.assign(new PassThrough(), {isTTY: true})
  const shown: string[] = []
  stderr.on('data', (bytes: Buffer) => {
    shown.push(bytes.toString())
    if (bytes.toString().endsWith(': ')) setImmediate(() => stdin.write('\r'))
  })
  const io: Io = {
    stdin, stderr, stdout: Object.assign(new PassThrough(), {isTTY: true}), variables: {}, isRoot: false, homeFolder: '/', now: () => 0, setExitCode: () => undefined, onInterrupt: () => () => undefined, onResize: () => () => undefined,
  }
  const out = new Output(io, {json: false, quiet: false, verbose: false, noColorFlag: true}, {noColor: true, forceColor: undefined, dumbTerminal: false, ci: false})
  return {context: {prompts: new Prompts(io, out, new AbortController().signal), out, checkId: () => undefined}, shown: () => shown.join('')}
}

test('what has no default is asked three times and no more', async () => {
  const {context, shown} = silentPerson()
  await expect(askNewApp({build: false}, {...context, fileId: undefined})).rejects.toMatchObject({code: 'USAGE', message: expect.stringContaining('--name')})
  expect(shown().match(/Name of the app: /g)).toHaveLength(3)
})

test('pressing Enter takes what is offered', async () => {
  const {context} = silentPerson()
  expect(await askNewApp({build: false, description: 'D'}, {...context, fileId: 'paste-box'})).toEqual({
    id: 'paste-box', name: 'Paste Box', description: 'D', category: 'other', logo: 'docker', image: undefined, port: 80, dataPath: undefined, database: 'none', secrets: [],
  })
})
