import {z} from 'zod'
import type {EngineEvent} from './engine.js'

// What becomes of containers; not the commands that health checks run in them every few seconds.
export const watchedActions = ['create', 'start', 'restart', 'die', 'oom', 'stop', 'kill', 'pause', 'unpause', 'destroy', 'rename', 'health_status'] as const

const Event = z.object({
  Type: z.literal('container'),
  Action: z.string(),
  Actor: z.object({ID: z.string(), Attributes: z.record(z.string(), z.string()).nullish()}),
  time: z.number(),
  timeNano: z.number().optional(),
})

// Among the labels the engine puts facts of its own.
const ownAttributes: readonly string[] = ['image', 'name', 'exitCode', 'signal', 'execID', 'oldName', 'execDuration']

/** Undefined for what is no event of a container. */
export function toEngineEvent(value: unknown): EngineEvent | undefined {
  const event = Event.safeParse(value).data
  if (event === undefined) return undefined
  const {Action, Actor, time, timeNano} = event
  const labels = Object.fromEntries(Object.entries(Actor.Attributes ?? {}).filter(([name]) => !ownAttributes.includes(name)))
  const epochMs = timeNano === undefined ? time * 1000 : Math.floor(timeNano / 1e6)
  return {kind: 'container', action: Action, containerId: Actor.ID, labels, at: new Date(epochMs).toISOString()}
}
