import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {rm, mkdtemp} from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import {z} from 'zod'
import {aliasId, codesOf, type RouteTable} from '../../../daemon/http/openapi.js'
import {startDaemon, type RunningDaemon} from '../../../daemon/main.js'
import {contract} from '../../../src/contract/index.js'
import type {RouteSpec} from '../../../src/contract/route.js'
import {caller, testSettings, type Answer, type TestDaemon} from '../start-test-daemon.js'

const table: RouteTable = contract
/** Every path of every route: what one answers, its aliases answer. */
const routes = Object.entries(table).flatMap(([area, members]) =>
  Object.entries(members).flatMap(([name, route]) => [
    {id: `${area}.${name}`, route},
    ...(route.aliases ?? []).map((path, index) => ({id: aliasId(area, name, index + 1), route: {...route, path: path as RouteSpec['path']}})),
  ]),
)
const having = (condition: (route: RouteSpec) => boolean) => routes.filter(({route}) => condition(route))

/** The path with every parameter replaced. */
const pathOf = (route: RouteSpec, value = 'none_AAAAAAAAAAAAAAAA') => route.path.replace(/:\w+/g, value)
/** A body that is judged by more than its schema. */
const isOpen = (route: RouteSpec) => route.body instanceof z.ZodUnknown
/** Existing clients send more than is read. */
const isLoose = (route: RouteSpec) => route.body !== undefined && z.toJSONSchema(route.body, {io: 'input'}).additionalProperties === undefined
/** Its body is bytes, which nobody parses before the handler. */
const takesBytes = (route: RouteSpec) => route.streamsBody === true
/** What is not there is an answer, too: nothing is known of its fit, and it is deleted already. */
const answersAnyway: readonly string[] = ['apps.hostFit', 'apps.hostFit.alias1', 'apps.deleteCustom']
/** It becomes a connection over which anything may be done. */
const talks = (route: RouteSpec) => route.upgrade === 'websocket'
const streamsForever = (route: RouteSpec) => route.stream === 'sse'

describe('every route of the contract', () => {
  let home: string
  let daemon: RunningDaemon
  let call: TestDaemon['call']
  let readOnly: string
  beforeAll(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'moorage-walk-'))
    daemon = await startDaemon(testSettings(home), {writeLog: () => undefined})
    call = caller(daemon.url, daemon.firstToken ?? '')
    const made = await call('POST', '/api/tokens', {name: 'reader', fullAccess: true, readOnly: true})
    readOnly = made.body.data.token
  })
  afterAll(async () => {
    await daemon.stop()
    await rm(home, {recursive: true, force: true})
  })

  /** Calls a route and holds the answer against what the route declares. */
  async function ask(route: RouteSpec, options: {body?: unknown; token?: string | null; headers?: Record<string, string>; query?: string; id?: string} = {}): Promise<Answer> {
    const body = route.method === 'GET' ? undefined : options.body
    const answer = await call(route.method, pathOf(route, options.id) + (options.query ?? ''), body, options.token, options.headers)
    if (answer.status >= 400) {
      expect(codesOf(route)).toContain(answer.body.code)
      expect(answer.body.error).toEqual(expect.any(String))
      expect(answer.body.error).not.toContain('\n')
    }
    expect(answer.status, JSON.stringify(answer.body)).not.toBe(500)
    return answer
  }

  it.each(having((route) => route.scope !== 'public'))('$id refuses a caller without a credential', async ({route}) => {
    expect(await ask(route, {body: {}, token: null})).toMatchObject({status: 401, body: {code: 'UNAUTHORIZED'}})
  })

  it.each(having((route) => route.scope !== 'public'))('$id refuses a token that nobody made', async ({route}) => {
    expect(await ask(route, {body: {}, token: `moor_pat_${'x'.repeat(43)}`})).toMatchObject({status: 401, body: {code: 'INVALID_TOKEN'}})
  })

  it.each(having((route) => route.scope !== 'public'))('$id refuses an organization that is not that of the token', async ({route}) => {
    const answer = await ask(route, {body: {}, headers: {'x-organization-id': 'org_AAAAAAAAAAAAAAAA'}})
    expect(answer).toMatchObject({status: 403, body: {code: 'TOKEN_ORG_SCOPE'}})
  })

  it.each(having((route) => route.scope === 'public' && !takesBytes(route)))('$id answers a caller without a credential', async ({route}) => {
    expect((await ask(route, {token: null})).status).toBe(200)
  })

  it.each(having((route) => route.mutates && route.scope !== 'public'))('$id refuses a read-only token, whatever the input', async ({route}) => {
    expect(await ask(route, {token: readOnly, body: {}})).toMatchObject({status: 403, body: {code: 'TOKEN_READ_ONLY'}})
    expect(await ask(route, {token: readOnly, body: '{'})).toMatchObject({status: 403, body: {code: 'TOKEN_READ_ONLY'}})
  })

  it.each(having((route) => !route.mutates && !streamsForever(route)))('$id is open to a read-only token', async ({route}) => {
    expect((await ask(route, {token: readOnly, body: {}})).body.code).not.toBe('TOKEN_READ_ONLY')
  })

  it.each(having((route) => route.method === 'GET' && !talks(route)))('$id changes nothing', ({route}) => {
    expect(route.mutates).toBe(false)
  })

  it.each(having((route) => route.body !== undefined && !isOpen(route) && !isLoose(route)))('$id names a member of the body that it does not know', async ({route}) => {
    const answer = await ask(route, {body: {'not/known': 1}})
    expect(answer).toMatchObject({status: 400, body: {code: 'VALIDATION_ERROR', success: false}})
    expect(answer.body.errors).toContainEqual({path: '/not~1known', message: expect.any(String)})
  })

  it.each(having((route) => requiredOf(route.body).length > 0))('$id names every member of the body that is missing', async ({route}) => {
    for (const body of [{}, undefined]) {
      const answer = await ask(route, {body})
      expect(answer).toMatchObject({status: 400, body: {code: 'VALIDATION_ERROR'}})
      expect(answer.body.errors.map((error: {path: string}) => error.path)).toEqual(expect.arrayContaining(requiredOf(route.body).map((name) => `/${name}`)))
    }
  })

  it.each(having((route) => route.query !== undefined))('$id names a query that it does not know', async ({route}) => {
    const answer = await ask(route, {query: '?unknown=1', body: undefined})
    expect(answer).toMatchObject({status: 400, body: {code: 'VALIDATION_ERROR'}})
    expect(answer.body.errors).toContainEqual({path: '/unknown', message: expect.any(String)})
  })

  it.each(having((route) => route.params !== undefined))('$id names a parameter of the path that is too long', async ({route}) => {
    const answer = await ask(route, {id: 'a'.repeat(301), body: undefined})
    const [name] = Object.keys(route.params?.shape ?? {})
    expect(answer).toMatchObject({status: 400, body: {code: 'VALIDATION_ERROR'}})
    expect(answer.body.errors).toContainEqual({path: `/${name}`, message: expect.any(String)})
  })

  it.each(having(takesBytes))('$id takes a body of any type, and refuses what nobody asked for with a declared code', async ({route}) => {
    for (const type of ['application/json', 'application/gzip', 'application/x-www-form-urlencoded', 'text/plain']) {
      expect(await ask(route, {token: null, body: '{', headers: {'content-type': type}})).toMatchObject({status: 404, body: {code: 'NOT_FOUND'}})
    }
    expect(await ask(route, {token: null, body: 'x'.repeat(1_000_001)})).toMatchObject({status: 404})
  })

  it.each(having((route) => route.method !== 'GET' && !takesBytes(route)))('$id answers a broken or foreign body with a declared code', async ({route}) => {
    expect(await ask(route, {body: '{'})).toMatchObject({status: 400, body: {code: 'INVALID_JSON'}})
    expect(await ask(route, {body: 'a=b', headers: {'content-type': 'application/x-www-form-urlencoded'}})).toMatchObject({
      status: 415,
      body: {code: 'UNSUPPORTED_MEDIA_TYPE'},
    })
    const foreign = isLoose(route) ? [] : ['{"__proto__": {"a": 1}}', '{"name": null, "label": [], "serverId": {}}']
    for (const body of ['null', '[]', '"text"', '1', ...foreign]) {
      expect((await ask(route, {body})).status).toBe(400)
    }
    expect(await ask(route, {body: `"${'x'.repeat((route.bodyLimitBytes ?? 1_000_000) + 1)}"`})).toMatchObject({status: 413, body: {code: 'PAYLOAD_TOO_LARGE'}})
  })

  it.each(having((route) => route.params !== undefined && route.method !== 'PUT' && requiredOf(route.body).length === 0 && requiredOf(route.query).length === 0).filter(({id}) => !answersAnyway.includes(id)))(
    '$id answers 404 with one body for what is not there',
    async ({route}) => {
      const answer = await ask(route, {body: undefined})
      expect(answer).toMatchObject({status: 404, body: {code: 'NOT_FOUND'}})
    },
  )

  it.each(routes)('$id stands in the document that the daemon serves', async ({id, route}) => {
    const {body, status} = await call('GET', '/api/openapi.json', undefined, null)
    expect(status).toBe(200)
    const operation = body.paths[route.path.replace(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()]
    expect(operation?.operationId).toBe(id)
  })

  it.each(routes)('$id sends the headers that keep answers out of caches and frames', async ({route}) => {
    const {headers} = await ask(route, {token: null})
    expect(headers.get('x-request-id')).toMatch(/^req_/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})

function requiredOf(body: z.ZodType | undefined): string[] {
  if (body === undefined || body.safeParse(undefined).success) return []
  const {required = []} = z.toJSONSchema(body, {io: 'input'})
  return required
}
