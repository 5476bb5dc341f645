import type {FastifyInstance} from 'fastify'
import type {RouteSpec} from '../../src/contract/route.js'
import {commonHeaders} from './headers.js'
import {toOpenApi, type RouteTable} from './openapi.js'

interface Described {
  readonly table: RouteTable
  readonly version: string
  readonly cloud: boolean
}

/** Serves the document of all routes this daemon has, to anybody: it says nothing that the documentation does not. */
export function serveOpenApi(server: FastifyInstance, {table, version, cloud}: Described): void {
  // Made when first asked for, as most daemons never are, and then kept as the text that is sent.
  let text: string | undefined
  server.get('/api/openapi.json', async (request, reply) => {
    text ??= JSON.stringify(toOpenApi(cloud ? withoutSelfHosted(table) : table, {version}))
    return reply.headers(commonHeaders(request.id)).header('cache-control', 'public, max-age=300').type('application/json; charset=utf-8').send(text)
  })
}

function withoutSelfHosted(table: RouteTable): RouteTable {
  const kept = (routes: Readonly<Record<string, RouteSpec>>) => Object.fromEntries(Object.entries(routes).filter(([, route]) => route.selfHostedOnly !== true))
  return Object.fromEntries(Object.entries(table).map(([area, routes]) => [area, kept(routes)]))
}
