import {afterAll, beforeAll, expect, it} from 'vitest'
import {app, idsOf, manifest} from '../daemon/apps/app-fixture.js'
import {selfSigned, serving, startSource} from '../daemon/apps/source-server.js'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {bundleDaemon, DaemonProcess, until, type DaemonScript} from './daemon-fixture.js'

let script: DaemonScript
beforeAll(async () => {
  script = await bundleDaemon()
})
afterAll(() => script.remove())

const listed = async (daemon: DaemonProcess) => idsOf((await daemon.call('GET', '/api/apps/catalog')).body.data)

it('a daemon that is killed keeps uploads and the last good copy of a catalog behind TLS, and serves them while the source is away', async () => {
  const certificate = await selfSigned()
  const source = await startSource(serving(manifest([app('far')]), '"one"'), certificate)
  const home = await temporaryFolder()
  const variables = {MOORAGE_CATALOG_URL: source.url.href, NODE_EXTRA_CA_CERTS: certificate.certFile}
  const first = await DaemonProcess.start(script, home, variables)
  expect((await first.call('POST', '/api/apps/custom', app('mine'))).status).toBe(200)
  await until(async () => (await listed(first)).includes('far'), 'fetched catalog')
  await until(async () => (await first.call('GET', '/api/apps/source')).body.data.fetchedAt !== null, 'kept catalog')
  await first.call('POST', '/api/apps/source/refresh')
  await first.kill()
  await source.stop()
  const second = await DaemonProcess.start(script, home, variables)
  expect(await listed(second)).toEqual(['far', 'mine'])
  const {data} = (await second.call('POST', '/api/apps/source/refresh')).body
  expect(data).toMatchObject({origin: 'remote', failure: {message: 'the source can not be reached: nothing listens there'}})
  expect(await listed(second)).toEqual(['far', 'mine'])
  expect(await second.stop()).toBe(0)
})
