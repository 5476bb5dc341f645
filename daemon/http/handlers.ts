import type {HandlerResult, ParsedControl, ParsedInput, RouteSpec} from '../../src/contract/route.js'
import type {Principal} from '../access/principal.js'
import type {Actor} from '../events/record.js'

/** What a handler knows of a request beyond its parsed input. No request or response objects. */
export interface RequestContext {
  readonly principal: Principal
  readonly actor: Actor
  readonly requestId: string
  /** Scheme, host and port that the caller used. */
  readonly origin: string
  /** Ends when the caller hangs up or the daemon stops. */
  readonly signal: AbortSignal
  /** Of a resumed stream. */
  readonly lastEventId: string | undefined
}

/** A request whose body is read while it arrives. */
export interface StreamedRequest extends RequestContext {
  /** The bytes of the body, once. Nothing is read from the connection ahead of who takes them. Fails where the caller hangs up. */
  readonly content: AsyncIterable<Uint8Array>
}

/** One frame of a stream; `data.type` names the event. */
export interface StreamFrame {
  readonly id?: string
  readonly data: {readonly type: string}
}

/** A download. */
export interface ByteAnswer {
  readonly contentType: string
  readonly filename: string
  readonly bytes: AsyncIterable<Uint8Array>
}

/** The caller at the other end of a WebSocket. */
export interface Peer<In, Out> {
  /** Bytes and controls in the order in which they came. Little is read ahead of who takes them. */
  readonly frames: AsyncIterable<Buffer | In>
  /** Resolves once there is room for more. */
  send(frame: Uint8Array | Out): Promise<void>
  /** Ends when the caller is gone, may no longer do this, or the daemon stops. */
  readonly signal: AbortSignal
}

/** What goes on over a WebSocket; it closes when this is over. */
export type Conversation<In, Out> = (peer: Peer<In, Out>) => Promise<void>

type Answer<R extends RouteSpec> = R extends {readonly stream: 'sse'}
  ? AsyncIterable<StreamFrame>
  : R extends {readonly stream: 'bytes'}
    ? ByteAnswer
    : R extends {readonly upgrade: 'websocket'}
      ? Conversation<ParsedControl<R>, HandlerResult<R>>
      : HandlerResult<R>

type RequestOf<R extends RouteSpec> = R extends {readonly streamsBody: true} ? StreamedRequest : RequestContext

export type Handler<R extends RouteSpec> = (input: ParsedInput<R>, request: RequestOf<R>) => Promise<Answer<R>>

/** A typed map over the routes of an area: one without a handler does not compile. */
export type Handlers<A extends Readonly<Record<string, RouteSpec>>> = {readonly [K in keyof A]: Handler<A[K]>}
