import {chmod, mkdir, readdir, readFile, stat, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {getContext, isExposed, parseContextName, readContexts, withContext, withoutContext, writeContexts} from '../../../src/config/contexts.js'
import {temporaryFolder} from '../../daemon/start-test-daemon.js'

async function contextsFile(text?: string): Promise<string> {
  const file = path.join(await temporaryFolder(), 'contexts.json')
  if (text !== undefined) await writeFile(file, text)
  return file
}

describe('readContexts', () => {
  test('takes a missing file for none', async () => {
    expect(await readContexts(await contextsFile())).toEqual({current: null, contexts: {}})
  })

  test.each([
    ['not JSON', '{'], ['empty', ''], ['a list', '[]'], ['a context without url', '{"contexts":{"a":{}}}'], ['a url that is none', '{"contexts":{"a":{"url":"://"}}}'],
    ['a token that is no text', '{"contexts":{"a":{"url":"https://x","token":7}}}'], ['a current that is no name', '{"current":1,"contexts":{}}'],
  ])('refuses a file that is damaged: %s', async (_, text) => {
    const file = await contextsFile(text)
    await expect(readContexts(file)).rejects.toMatchObject({code: 'CONFIGURATION', message: expect.stringContaining(file)})
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  test('refuses a folder in its place', async () => {
    const file = await contextsFile()
    await mkdir(file)
    await expect(readContexts(file)).rejects.toMatchObject({code: 'CONFIGURATION'})
  })
})

describe('writeContexts', () => {
  test('makes the file readable by its owner only, whatever it was', async () => {
    const file = await contextsFile('{"contexts":{}}')
    await chmod(file, 0o644)
    expect(await isExposed(file)).toBe(true)
    await writeContexts(file, {current: 'a', contexts: {a: {url: 'https://x', token: 't'}}})
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await isExposed(file)).toBe(false)
  })

  test('keeps what this release does not know', async () => {
    const file = await contextsFile('{"future":1,"contexts":{"a":{"url":"https://x/api/","colour":"red"}},"current":"a"}')
    const contexts = await readContexts(file)
    await writeContexts(file, withContext(contexts, 'b', {url: 'https://y'}, false))
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      future: 1, current: 'a', contexts: {a: {url: 'https://x', colour: 'red'}, b: {url: 'https://y'}},
    })
  })

  test('leaves no temporary file, and makes its folder', async () => {
    const file = path.join(await temporaryFolder(), 'deep', 'er', 'contexts.json')
    await writeContexts(file, {current: null, contexts: {}})
    expect(await readdir(path.dirname(file))).toEqual(['contexts.json'])
  })

  test('says which file it can not write', async () => {
    const file = path.join(await contextsFile('x'), 'contexts.json')
    await expect(writeContexts(file, {current: null, contexts: {}})).rejects.toMatchObject({code: 'CONFIGURATION', message: expect.stringContaining(file)})
  })
})

test('removing the current context leaves none current', () => {
  const contexts = {current: 'a', contexts: {a: {url: 'https://x'}, b: {url: 'https://y'}}}
  expect(withoutContext(contexts, 'a')).toEqual({current: null, contexts: {b: {url: 'https://y'}}})
  expect(withoutContext(contexts, 'b').current).toBe('a')
})

test('a context that is not there is named, and so is who named it', () => {
  expect(() => getContext({current: null, contexts: {}}, 'constructor', 'MOORAGE_CONTEXT')).toThrowError(/MOORAGE_CONTEXT names the context constructor/)
})

test.each(['', '__proto__', 'a b', '-a', 'a/b', 'x'.repeat(64)])('a context is not named %j', (name) => {
  expect(() => parseContextName(name)).toThrowError(expect.objectContaining({code: 'USAGE'}) as Error)
})
