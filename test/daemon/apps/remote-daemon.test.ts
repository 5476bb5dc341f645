import {Agent} from 'undici'
import {expect, it} from 'vitest'
import {app, catalogFolder, idsOf, manifest, startAppDaemon} from './app-fixture.js'
import {selfSigned, serving, startSource} from './source-server.js'
import {startTestDaemon} from '../start-test-daemon.js'

it('lists remote apps next to bundled ones, tells where they come from, and fetches when told to', async () => {
  const certificate = await selfSigned()
  const source = await startSource(serving(manifest([app('far', {minEngine: '99.0.0'}), app('near')])), certificate)
  const catalogDispatcher = new Agent({connect: {ca: certificate.cert}})
  const {call} = await startAppDaemon([app('own')], {catalogUrl: source.url.href}, {catalogDispatcher})
  expect((await call('GET', '/api/apps/source')).body.data).toMatchObject({origin: 'bundled', url: source.url.href, apps: 1})
  expect((await call('POST', '/api/apps/source/refresh')).body.data).toMatchObject({origin: 'remote', apps: 3, failure: null, fetchedAt: expect.any(String)})
  const {data} = (await call('GET', '/api/apps/catalog')).body
  expect(idsOf(data)).toEqual(['own', 'far', 'near'])
  expect(data[1]).toMatchObject({comingSoon: true, requiresUpdate: {minVersion: '99.0.0'}, endpoints: []})
  expect((await call('GET', '/api/apps/catalog/far')).body.data).toMatchObject({available: false, requiresUpdate: {minVersion: '99.0.0'}})
  expect((await call('POST', '/api/apps/custom', app('FAR'))).body.code).toBe('APP_ID_TAKEN')
  expect(idsOf((await call('GET', '/api/apps/catalog?installable=true')).body.data)).toEqual(['own', 'near'])
})

it('fetches nothing at start, and nothing at all without an address', async () => {
  const source = await startSource(serving(manifest([app('far')])))
  const daemon = await startAppDaemon([app('own')], {catalogUrl: source.url.href})
  expect((await daemon.call('GET', '/api/projects')).status).toBe(200)
  expect(source.requests).toHaveLength(0)
  await daemon.call('GET', '/api/apps/directory', undefined, null)
  await source.untilAsked(1)
})

it('stops at once while the source is silent', async () => {
  const source = await startSource(() => undefined)
  const daemon = await startAppDaemon([app('own')], {catalogUrl: source.url.href})
  await daemon.call('GET', '/api/apps/catalog')
  await source.untilAsked(1)
  const startedMs = performance.now()
  await daemon.daemon.stop()
  expect(performance.now() - startedMs).toBeLessThan(4000)
})

it('after an upgrade of the package takes up its new bundled apps beside the kept copy', async () => {
  const source = await startSource(serving(manifest([app('far')])))
  const first = await startAppDaemon([app('own')], {catalogUrl: source.url.href})
  await first.call('POST', '/api/apps/source/refresh')
  await first.daemon.stop()
  await source.stop()
  const second = await startTestDaemon({home: first.home, catalogUrl: source.url.href}, {catalogFolder: await catalogFolder([app('own'), app('new')])})
  expect(idsOf((await second.call('GET', '/api/apps/catalog')).body.data)).toEqual(['own', 'new', 'far'])
})
