import {mkdir, readdir, readFile, stat, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {loadSettings} from '../../daemon/settings.js'
import {defaultHome} from '../../src/config/paths.js'
import {temporaryFolder} from './start-test-daemon.js'

describe('settings of the daemon', () => {
  it('takes a flag before the environment, and the environment before the file', async () => {
    const home = await temporaryFolder()
    await writeFile(path.join(home, 'config.json'), JSON.stringify({port: 1, host: '127.0.0.2', timeZone: 'Europe/Berlin'}))
    const settings = await loadSettings({home, port: '3'}, {MOORAGE_PORT: '2', MOORAGE_HOST: '127.0.0.3'})
    expect(settings).toMatchObject({port: 3, host: '127.0.0.3', timeZone: 'Europe/Berlin', mode: 'selfhosted', tokenPrefix: 'moor'})
  })

  it('writes jobs: on into the file of the first start, readable by its owner only, and leaves an existing file as it is', async () => {
    const home = path.join(await temporaryFolder(), 'new')
    expect((await loadSettings({home}, {})).jobs).toBe(true)
    const file = path.join(home, 'config.json')
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({jobs: 'on'})
    expect([(await stat(file)).mode & 0o777, (await stat(home)).mode & 0o777]).toEqual([0o600, 0o700])
    await writeFile(file, '{}')
    expect((await loadSettings({home}, {})).jobs).toBe(false)
    expect(await readFile(file, 'utf8')).toBe('{}')
  })

  it('is the same for all daemons that start at the first moment of a home', async () => {
    const home = path.join(await temporaryFolder(), 'new')
    const all = await Promise.all(Array.from({length: 30}, () => loadSettings({home}, {})))
    expect(all.map(({jobs}) => jobs)).toEqual(all.map(() => true))
    expect(await readdir(home)).toEqual(['config.json'])
  })

  it.each([
    ['a bad port of the environment', {}, {MOORAGE_PORT: '70000'}, undefined, /^MOORAGE_PORT: /],
    ['a word for a port', {port: 'x'}, {}, undefined, /^--port: /],
    ['an unknown mode', {mode: 'yes'}, {}, undefined, /^--mode: /],
    ['an unknown zone', {timeZone: 'Mars/Base'}, {}, undefined, /^--time-zone: is not a time zone/],
    ['an unknown key of the file', {}, {}, '{"prot": 1}', /^prot in .*config\.json is not a setting/],
    ['a file that is no JSON', {}, {}, '{', /config\.json is not valid JSON/],
    ['a catalog that anybody on the way could change', {catalogUrl: 'http://apps.example.com/c.json'}, {}, undefined, /^--catalog-url: must be an https/],
    ['a catalog address with a password', {}, {MOORAGE_CATALOG_URL: 'https://kim:pw@apps.example.com/c.json'}, undefined, /^MOORAGE_CATALOG_URL: must be/],
    ['a catalog address that is none', {}, {}, '{"catalogUrl": "apps.example.com"}', /^catalogUrl in .*config.json: must be/],
    ['a limit of uploads that lets nothing in', {}, {MOORAGE_UPLOAD_LIMIT: '10'}, undefined, /^MOORAGE_UPLOAD_LIMIT: must be a number of bytes/],
    ['a token prefix that no client could read', {}, {MOORAGE_TOKEN_PREFIX: 'A_b'}, undefined, /^MOORAGE_TOKEN_PREFIX: /],
  ])('stops the start at %s and names it', async (_name, flags, environment, file, message) => {
    const home = await temporaryFolder()
    if (file !== undefined) await writeFile(path.join(home, 'config.json'), file)
    await expect(loadSettings({home, ...flags}, environment)).rejects.toMatchObject({code: 'CONFIGURATION', message: expect.stringMatching(message)})
  })

  it('reports a configuration that can not be read instead of starting with defaults', async () => {
    const home = await temporaryFolder()
    await mkdir(path.join(home, 'config.json'))
    await expect(loadSettings({home}, {})).rejects.toMatchObject({code: 'CONFIGURATION'})
  })

  it('reads a list of key folders from a text as from PATH', async () => {
    const home = await temporaryFolder()
    expect((await loadSettings({home}, {MOORAGE_SSH_KEY_ROOTS: '/a:/b'})).sshKeyRoots).toEqual(['/a', '/b'])
  })

  it.each(['https://apps.example.com/c.json?key=1', 'http://127.0.0.1:8080/c.json', 'http://localhost/c.json', 'http://[::1]:1/'])('fetches a catalog from %s', async (catalogUrl) => {
    const home = await temporaryFolder()
    expect((await loadSettings({home, catalogUrl}, {})).catalogUrl).toBe(catalogUrl)
  })

  it('keeps its home where the system keeps such things', () => {
    const ada = {isRoot: false, homeFolder: '/home/ada'}
    expect(defaultHome(ada, undefined)).toBe('/home/ada/.local/share/moorage')
    expect(defaultHome(ada, '/data')).toBe('/data/moorage')
    expect(defaultHome({isRoot: true, homeFolder: '/root'}, '/data')).toBe('/var/lib/moorage')
  })
})
