import type {FastifyReply, FastifyRequest} from 'fastify'
import type {AuditSource} from '../../src/contract/audit.js'
import {Fault} from '../../src/contract/faults.js'
import type {RouteSpec} from '../../src/contract/route.js'
import {anonymous, authenticate} from '../access/authenticate.js'
import {heldScopes, holdsScope} from '../access/decide.js'
import type {Principal} from '../access/principal.js'
import type {Actor} from '../events/record.js'
import type {HttpParts} from './http-server.js'
import type {Limiter} from './rate-limits.js'

/** A request that may go on to its handler, and for whom. */
export interface Admission {
  readonly principal: Principal
}

/** Public routes act for nobody. */
export const admitAnybody: Admission = {principal: anonymous}

/** Authenticates, then decides by the route's own declaration, before anything is read or looked up. */
export async function admitRequest(parts: HttpParts, limiter: Limiter, route: RouteSpec, request: FastifyRequest, reply: FastifyReply): Promise<Admission> {
  if (route.scope === 'public') {
    await limiter.count(route, undefined, request, reply)
    return admitAnybody
  }
  const principal = await identify(parts, limiter, request, reply)
  authorize(principal, route)
  parts.tokenUse.record(principal.credentialId)
  const admission = {principal}
  request.admission = admission
  await limiter.count(route, principal.userId, request, reply)
  return admission
}

async function identify(parts: HttpParts, limiter: Limiter, request: FastifyRequest, reply: FastifyReply): Promise<Principal> {
  try {
    return await authenticate(parts.store, parts.clock, {
      authorization: request.headers.authorization,
      organizationId: headerOf(request, 'x-organization-id'),
    })
  } catch (error) {
    if (error instanceof Fault && error.status === 401) await limiter.countRefusal(request, reply)
    throw error
  }
}

function authorize(principal: Principal, route: RouteSpec): void {
  if (principal.readOnly && route.mutates) {
    throw new Fault('TOKEN_READ_ONLY', 'the token is read-only, and this request changes something', {suggestions: ['tokens create']})
  }
  if (!holdsScope(principal, route.scope, route.acceptsCreateGrant === true)) {
    const held = heldScopes(principal)
    const message = `this needs ${route.scope}; the credential holds ${held.length === 0 ? 'nothing' : held.join(', ')}`
    throw new Fault('FORBIDDEN', message, {details: {required: route.scope, held}})
  }
  if (route.instanceAdmin === true && !principal.instanceAdmin) {
    throw new Fault('INSTANCE_ADMIN_REQUIRED', 'only an administrator of the instance may do this')
  }
}

/** Who did it, for the audit trail. */
export function toActor(principal: Principal, request: FastifyRequest): Actor {
  const userAgent = headerOf(request, 'user-agent') ?? null
  const isToken = principal.kind === 'token'
  return {
    userId: principal.userId === '' ? null : principal.userId,
    source: isToken ? sourceOf(userAgent) : 'system',
    clientId: isToken ? `pat:${principal.credentialId}` : null,
    ipAddress: request.ip,
    userAgent: userAgent === null ? null : userAgent.slice(0, 500),
  }
}

// A label for people, never a security decision: anybody may send any agent.
function sourceOf(userAgent: string | null): AuditSource {
  return userAgent?.startsWith('moorage-cli') === true ? 'cli' : 'api'
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
