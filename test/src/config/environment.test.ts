import {describe, expect, test} from 'vitest'
import {readEnvironment} from '../../../src/config/environment.js'
import {resolvePaths} from '../../../src/config/paths.js'

describe('readEnvironment', () => {
  test('takes a variable that is set to nothing for not set', () => {
    expect(readEnvironment({MOORAGE_URL: '', MOORAGE_TOKEN: '', MOORAGE_HOME: '', NO_COLOR: ''})).toMatchObject({url: undefined, token: undefined, home: undefined, noColor: false})
  })

  test('trims a token, and refuses one that can not stand in a header without showing it', () => {
    expect(readEnvironment({MOORAGE_TOKEN: ' moor_pat_a\n'}).token).toBe('moor_pat_a')
    expect(() => readEnvironment({MOORAGE_TOKEN: 'secret\nvalue'})).toThrowError(/^MOORAGE_TOKEN holds something that is not a token$/)
  })

  test('names the variable of a bad address', () => {
    expect(() => readEnvironment({MOORAGE_URL: 'ftp://x'})).toThrowError(/MOORAGE_URL/)
  })

  test.each([['1', true], ['true', true], ['0', false], ['false', false], ['', false]])('CI=%s counts as %s', (CI, ci) => {
    expect(readEnvironment({CI}).ci).toBe(ci)
  })
})

describe('resolvePaths', () => {
  const user = {isRoot: false, homeFolder: '/home/kim'}

  test('keeps to the folders of a user', () => {
    expect(resolvePaths(readEnvironment({}), user)).toEqual({
      home: '/home/kim/.local/share/moorage', homes: ['/home/kim/.local/share/moorage', '/var/lib/moorage'], contextsFile: '/home/kim/.config/moorage/contexts.json',
    })
  })

  test('follows the XDG variables', () => {
    const environment = readEnvironment({HOME: '/h', XDG_DATA_HOME: '/d', XDG_CONFIG_HOME: '/c'})
    expect(resolvePaths(environment, user)).toMatchObject({home: '/d/moorage', contextsFile: '/c/moorage/contexts.json'})
  })

  test('is the home of the system for root', () => {
    expect(resolvePaths(readEnvironment({}), {...user, isRoot: true}).homes).toEqual(['/var/lib/moorage'])
  })

  test('a home that was named is the only one', () => {
    const environment = readEnvironment({MOORAGE_HOME: '/m', MOORAGE_CONFIG_DIR: '/k'})
    expect(resolvePaths(environment, user)).toEqual({home: '/m', homes: ['/m'], contextsFile: '/k/contexts.json'})
  })
})
