import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify'
import {Fault} from '../../src/contract/faults.js'
import type {RouteSpec} from '../../src/contract/route.js'

export interface Limiter {
  /** Counts a request of a user, or of an address where there is none; refuses one too many. */
  count(route: RouteSpec, userId: string | undefined, request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** Counts a refused credential by address, so that nobody guesses tokens. */
  countRefusal(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

const perMinute = {user: 3000, write: 300, address: 300, refusals: 300}

export function createLimiter(server: FastifyInstance, limitLoopback: boolean): Limiter {
  const make = (group: string, max: number, key: (request: FastifyRequest) => string) =>
    server.createRateLimit({max, timeWindow: 60_000, keyGenerator: (request) => `${group} ${key(request)}`})
  const userOf = (request: FastifyRequest) => request.admission?.principal.userId ?? request.ip
  const limits = {
    user: make('user', perMinute.user, userOf),
    write: make('write', perMinute.write, userOf),
    address: make('address', perMinute.address, (request) => request.ip),
    refusals: make('refusals', perMinute.refusals, (request) => request.ip),
  }
  const apply = async (name: keyof typeof limits, request: FastifyRequest, reply: FastifyReply) => {
    const result = await limits[name](request)
    if (result.isAllowed) return
    const resetSeconds = Math.ceil((Date.now() + result.ttl) / 1000)
    reply.headers({'x-ratelimit-limit': result.max, 'x-ratelimit-remaining': result.remaining, 'x-ratelimit-reset': resetSeconds})
    if (result.isExceeded) throw new Fault('RATE_LIMITED', 'Too many requests', {details: {retryAfterSeconds: result.ttlInSeconds}})
  }
  const isExempt = (request: FastifyRequest) => !limitLoopback && isLoopback(request.ip)
  return {
    async count(route, userId, request, reply) {
      if (route.rateLimit === 'none' || isExempt(request)) return
      if (userId === undefined) return apply('address', request, reply)
      await apply(route.rateLimit === 'write' ? 'write' : 'user', request, reply)
    },
    async countRefusal(request, reply) {
      if (!isExempt(request)) await apply('refusals', request, reply)
    },
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.')
}
