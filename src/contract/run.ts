import {z} from 'zod'
import {Instant, RunId, ServerId} from './fields.js'

export const RunStatus = z.enum(['queued', 'running', 'success', 'failed', 'cancelled', 'skipped'])
export type RunStatus = z.output<typeof RunStatus>

export const EndReason = z.enum([
  'exit',
  'signal',
  'timeout',
  'unreachable',
  'interrupted',
  'overlap',
  'misfire',
  'dependency',
  'billing',
  'user',
])
export type EndReason = z.output<typeof EndReason>

export const RunTrigger = z.enum(['schedule', 'manual', 'once', 'dependency', 'event', 'failure'])
export type RunTrigger = z.output<typeof RunTrigger>

export const ServerResult = z.object({
  serverId: ServerId,
  status: RunStatus,
  endReason: EndReason.nullable(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable().optional(),
  error: z.string().nullable().optional(),
  startedAt: Instant.nullable(),
  finishedAt: Instant.nullable(),
  attempts: z.int().optional().describe('how often it was tried on this server'),
})
export type ServerResult = z.output<typeof ServerResult>

/** Of a custom job: exit code, attempts and the result of each server; of a system job: its own counts. */
export const RunSummary = z.looseObject({
  exitCode: z.int().nullable().optional(),
  attempts: z.int().optional(),
  servers: z.array(ServerResult).optional(),
})
export type RunSummary = z.output<typeof RunSummary>

export const Run = z.object({
  id: RunId,
  jobId: z.string().describe('the key of the job'),
  jobKey: z.string(),
  kind: z.enum(['system', 'custom']),
  trigger: RunTrigger,
  status: RunStatus,
  endReason: EndReason.nullable(),
  serverId: z.string().nullable().describe('the target; null when there are several'),
  attempt: z.int(),
  retryOf: z.string().nullable(),
  startedBy: z.string().nullable().describe('the user who asked for it'),
  scheduledFor: Instant.nullable().describe('the instant it was due'),
  parameters: z.record(z.string(), z.string()).nullable(),
  startedAt: Instant.nullable().describe('null until a command starts'),
  finishedAt: Instant.nullable(),
  durationMs: z.number().nullable(),
  summary: RunSummary.nullable(),
  output: z.string().nullable().describe('cleaned: first and last 100,000 characters; null in lists'),
  outputBytes: z.int().describe('stored bytes of output'),
  error: z.string().nullable(),
  createdAt: Instant,
})
export type Run = z.output<typeof Run>

export const RunEvent = z.discriminatedUnion('type', [
  z.object({type: z.literal('snapshot'), run: Run}),
  z.object({
    type: z.literal('log'),
    line: z.string(),
    level: z.enum(['info', 'warn', 'error']),
    serverId: z.string().nullable(),
    at: Instant,
    partial: z.boolean().optional(),
  }),
  z.object({type: z.literal('complete'), status: RunStatus, endReason: EndReason.nullable(), error: z.string().nullable()}),
])
export type RunEvent = z.output<typeof RunEvent>
