import type {z} from 'zod'
import type {FaultCode} from './faults.js'

/** What a scope may be about. Leaves (domain, deployment, service) are held through the project they belong to. */
export type ResourceType =
  | 'project' | 'server' | 'job' | 'settings' | 'notifications' | 'audit' | 'permissions' | 'domain' | 'deployment'
  | 'mail_server' | 'backup_destination' | 'github_installation' | 'github_repository' | 'analytics' | 'updates' | 'cloud' | 'billing'

export type ScopeVerb = 'list' | 'read' | 'write' | 'admin'

/** `public`: no credential; `authenticated`: any credential; else the permission needed, as `type:verb`. */
export type Scope = 'public' | 'authenticated' | `${ResourceType}:${ScopeVerb}`

type ObjectSchema = z.ZodObject

export interface RouteSpec {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `:name` for parameters. */
  readonly path: `/api/${string}`
  /** More paths that answer the same. */
  readonly aliases?: readonly `/${string}`[]
  readonly summary: string
  readonly description?: string
  readonly scope: Scope
  /** Refused to read-only tokens. False for GET and for requests that change nothing, such as previews. */
  readonly mutates: boolean
  /** A token that may only create in this collection passes too. */
  readonly acceptsCreateGrant?: boolean
  /** Only administrators of the instance; never a scoped token. */
  readonly instanceAdmin?: boolean
  /** The route is not there in cloud mode. */
  readonly selfHostedOnly?: boolean
  readonly params?: ObjectSchema
  readonly query?: ObjectSchema
  readonly body?: z.ZodType
  /** Headers of its own, in lower case. */
  readonly headers?: ObjectSchema
  /** JSON answer; for `stream: 'sse'` the union of event data; for `stream: 'bytes'` absent. */
  readonly output?: z.ZodType
  readonly stream?: 'sse' | 'bytes'
  /**
   * The connection becomes a WebSocket. Binary frames are bytes; text frames are JSON: `output` from the daemon, which may be
   * `{type: 'error', code, error}`, and `takes` from the caller.
   */
  readonly upgrade?: 'websocket'
  readonly takes?: z.ZodType
  /** Status of success; 200 unless given. */
  readonly status?: 200 | 201 | 202
  /** Codes beyond `commonFaults`. */
  readonly errors?: readonly FaultCode[]
  /** Anybody may keep the answer for so long; nobody may where it is not given. */
  readonly cacheSeconds?: number
  /** Whether MCP clients see this route as a tool. */
  readonly mcp?: boolean
  /** Bytes of the request body; 1,000,000 unless given. */
  readonly bodyLimitBytes?: number
  /** The body is taken as it arrives, whatever its type and size; the handler sets the limit. Such a route declares no `body`. */
  readonly streamsBody?: boolean
  /** Requests a minute; the default is 3,000 a user, 300 an address for public routes. `none` is never limited. */
  readonly rateLimit?: 'none' | 'default' | 'write'
}

/** Declares a route. The object itself is the contract: server, client, CLI, OpenAPI and MCP all read it. */
export function route<const R extends RouteSpec>(spec: R): R {
  return spec
}

type InputOf<S> = S extends z.ZodType ? z.input<S> : undefined
type OutputOf<S> = S extends z.ZodType ? z.output<S> : undefined

/** What a caller passes: only the parts the route has. */
export type RouteInput<R extends RouteSpec> = Part<R, 'params', 'in'> & Part<R, 'query', 'in'> & Part<R, 'body', 'in'> & Part<R, 'headers', 'in'>

/** What a handler receives: parsed, defaults filled in. */
export type ParsedInput<R extends RouteSpec> = Part<R, 'params', 'out'> & Part<R, 'query', 'out'> & Part<R, 'body', 'out'> & Part<R, 'headers', 'out'>

type Part<R extends RouteSpec, K extends 'params' | 'query' | 'body' | 'headers', D extends 'in' | 'out'> = R extends {readonly [P in K]: infer S}
  ? D extends 'in'
    ? Record<never, never> extends InputOf<S>
      ? {readonly [P in K]?: InputOf<S>}
      : {readonly [P in K]: InputOf<S>}
    : {readonly [P in K]: OutputOf<S>}
  : unknown

/** What a handler returns: the input side of the output schema, so defaults may be left out. */
export type HandlerResult<R extends RouteSpec> = R extends {readonly output: infer S} ? InputOf<S> : undefined

/** What text frames of a caller hold, once parsed. */
export type ParsedControl<R extends RouteSpec> = R extends {readonly takes: infer S} ? OutputOf<S> : never

/** What text frames of a caller hold. */
export type RouteControl<R extends RouteSpec> = R extends {readonly takes: infer S} ? InputOf<S> : never

/** What a caller gets back. */
export type RouteOutput<R extends RouteSpec> = R extends {readonly output: infer S} ? OutputOf<S> : undefined
