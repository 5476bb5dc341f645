import {randomBytes} from 'node:crypto'
import {expect} from 'vitest'
import type {TokenGrant} from '../../../../src/contract/auth.js'
import {Fault, type FaultCode} from '../../../../src/contract/faults.js'
import type {Job} from '../../../../src/contract/job.js'
import {jobRoutes} from '../../../../src/contract/jobs.js'
import type {Run} from '../../../../src/contract/run.js'
import type {RouteSpec} from '../../../../src/contract/route.js'
import {allows} from '../../../../daemon/access/decide.js'
import type {Principal} from '../../../../daemon/access/principal.js'
import type {Actor} from '../../../../daemon/events/record.js'
import {parseInput} from '../../../../daemon/http/parse-input.js'
import {createJobDefinitionHandlers, type JobDefinitionParts} from '../../../../daemon/jobs/definitions/job-handlers.js'
import type {TargetServer} from '../../../../daemon/jobs/definitions/job-access.js'
import type {Sealer} from '../../../../daemon/jobs/definitions/job-secrets.js'
import {DueTimes} from '../../../../daemon/jobs/due-times.js'
import {createSystemJobs} from '../../../../daemon/jobs/system-jobs.js'
import {createSealer} from '../../../../daemon/store/secrets.js'
import {withJobs, type JobBench} from '../job-fixture.js'

const actor: Actor = {userId: 'usr_1', source: 'api', clientId: 'pat:pat_1', ipAddress: '127.0.0.1', userAgent: null}

export function owner(over: Partial<Principal> = {}): Principal {
  return {
    kind: 'token', userId: 'usr_1', organizationId: 'org_1', role: 'owner', memberRole: 'owner', credentialId: 'pat_1', credentialName: 'test', readOnly: false,
    scoped: false, grants: [], expiresAt: null, instanceAdmin: true, ...over,
  }
}

/** A credential that holds these grants and nothing else. */
export function scoped(grants: TokenGrant[], over: Partial<Principal> = {}): Principal {
  return owner({role: 'restricted', scoped: true, instanceAdmin: false, grants, ...over})
}

export const grant = (resourceType: string, resourceId: string, ...permissions: string[]) => ({resourceType, resourceId, permissions}) as TokenGrant

/** The store's own sealer with a key of this test. */
function testSealer(): Sealer {
  return createSealer({current: {id: 'test', bytes: randomBytes(32)}, older: []})
}

interface Request {
  readonly key?: string
  readonly body?: unknown
  readonly as?: Principal
}

type Route = 'list' | 'create' | 'triggerEvents' | 'backupSchedules' | 'preview' | 'apply' | 'show' | 'update' | 'delete'

export interface DefinitionBench extends JobBench {
  readonly parts: JobDefinitionParts
  readonly servers: Map<string, TargetServer>
  readonly changed: string[]
  readonly sealer: Sealer
  /** Sends a request through the route's own schemas to its handler. */
  // Tests look into whatever came back.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads answers freely and fails where they are not as it says
  readonly call: (route: Route, request?: Request) => Promise<any>
  readonly create: (over?: Record<string, unknown>, as?: Principal) => Promise<Job>
  readonly update: (key: string, body: Record<string, unknown>, as?: Principal) => Promise<Job>
}

export const noon = '2026-06-01T12:00:00.000Z'
export const minimal = {label: 'Rotate logs', command: 'logrotate -f /etc/lr.conf', serverIds: ['srv_1'], cronExpression: '30 2 * * *'}

export async function withDefinitions(work: (bench: DefinitionBench) => Promise<void>, over: Partial<JobDefinitionParts> = {}): Promise<void> {
  await withJobs(noon, async (bench) => {
    const server = (id: string, organizationId: string) => [id, {id, organizationId, name: id}] as const
    const servers = new Map<string, TargetServer>([server('srv_1', 'org_1'), server('srv_2', 'org_1'), server('srv_3', 'org_1'), server('srv_foreign', 'org_2')])
    const changed: string[] = []
    const sealer = testSealer()
    const parts: JobDefinitionParts = {
      ...bench, allows, sealer, mode: 'selfhosted',
      findServers: async (_reader, ids) => ids.flatMap((id) => servers.get(id) ?? []),
      systemJobs: createSystemJobs('selfhosted', {'jobs:run-prune': async () => ({}), 'audit:retention-prune': async () => ({})}),
      dueTimes: new DueTimes('UTC'),
      schedules: () => ({enabled: true, reason: null}),
      runsOf: async (): Promise<Run[]> => [],
      jobChanged: (key) => void changed.push(key),
      ...over,
    }
    const handlers = createJobDefinitionHandlers(parts)
    const call: DefinitionBench['call'] = async (name, {key, body, as = owner()} = {}) => {
      const route: RouteSpec = jobRoutes[name]
      const raw = {params: key === undefined ? {} : {key}, query: {}, body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)), contentType: 'application/json'}
      const input = parseInput(route, raw)
      const handler = handlers[name] as (input: unknown, context: unknown) => Promise<unknown>
      const answer = await handler(input, {principal: as, actor, requestId: 'req_1', origin: 'http://127.0.0.1:4400', signal: new AbortController().signal, lastEventId: undefined})
      return route.output?.parse(answer)
    }
    const create = async (changes: Record<string, unknown> = {}, as = owner()) => (await call('create', {body: {...minimal, ...changes}, as})).data as Job
    const update = async (key: string, body: Record<string, unknown>, as = owner()) => (await call('update', {key, body, as})).data as Job
    await work({...bench, parts, servers, changed, sealer, call, create, update})
  })
}

/** The fault that a request ends with. */
export async function refusal(request: Promise<unknown>): Promise<Fault> {
  const outcome = await request.then(() => undefined, (error: unknown) => error)
  if (outcome instanceof Fault) return outcome
  throw outcome instanceof Error ? outcome : new Error('it was taken')
}

/** Expects a refusal for bad fields, and answers what is wrong by path. */
export async function badFields(request: Promise<unknown>): Promise<Record<string, string>> {
  const fault = await refusal(request)
  expect(fault.code).toBe('VALIDATION_ERROR' satisfies FaultCode)
  return Object.fromEntries(fault.errors.map(({path, message}) => [path, message]))
}
