import type {ServerResponse} from 'node:http'
import {once} from 'node:events'
import type {z} from 'zod'
import type {Clock} from '../clock.js'
import type {StreamFrame} from './handlers.js'

const pingMs = 25_000

export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const

export interface EventStreamOptions {
  readonly response: ServerResponse
  readonly frames: AsyncIterable<StreamFrame>
  readonly schema: z.ZodType
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * Writes server-sent events (HTML Living Standard, 9.2): a comment at once, each frame in one write so that a ping never falls into it,
 * and the end only after the last frame is flushed. Waits for slow readers.
 */
export async function writeEventStream({response, frames, schema, clock, signal}: EventStreamOptions): Promise<void> {
  response.write(': ok\n\n')
  let cancelPing = clock.after(pingMs, ping)
  function ping() {
    response.write('event: ping\ndata: {}\n\n')
    cancelPing = clock.after(pingMs, ping)
  }
  try {
    for await (const frame of frames) {
      if (signal.aborted) break
      if (!response.write(encodeFrame(frame, schema))) await once(response, 'drain', {signal})
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    cancelPing()
    response.end()
  }
}

function encodeFrame(frame: StreamFrame, schema: z.ZodType): string {
  const id = frame.id === undefined ? '' : `id: ${frame.id}\n`
  return `${id}event: ${frame.data.type}\ndata: ${JSON.stringify(schema.parse(frame.data))}\n\n`
}
