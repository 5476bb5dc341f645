import {z} from 'zod'
import type {ContainerFacts} from './engine.js'

const states = ['created', 'running', 'paused', 'restarting', 'removing', 'exited', 'dead'] as const

const Binding = z.object({HostIp: z.string(), HostPort: z.string()})

// What `GET /containers/ID/json` and `docker inspect` answer, as far as we read it.
const Inspected = z.object({
  Id: z.string(),
  Name: z.string(),
  Image: z.string(),
  RestartCount: z.number().default(0),
  Config: z.object({
    Image: z.string(),
    Labels: z.record(z.string(), z.string()).nullish(),
  }),
  State: z.object({
    Status: z.enum(states).catch('dead'),
    ExitCode: z.number(),
    OOMKilled: z.boolean().default(false),
    Pid: z.number().default(0),
    StartedAt: z.string(),
    FinishedAt: z.string(),
    Health: z.object({
      Status: z.string(),
      Log: z.array(z.object({Output: z.string().default('')})).nullish(),
    }).nullish(),
  }),
  NetworkSettings: z.object({
    Ports: z.record(z.string(), z.array(Binding).nullable()).nullish(),
    Networks: z.record(z.string(), z.object({IPAddress: z.string().default('')}).nullable()).nullish(),
  }).default({}),
})

const mostHealthOutput = 4000
// What the engine writes for never.
const never = /^0001-/

export function toContainerFacts(inspected: unknown): ContainerFacts {
  const {Id, Name, Image, RestartCount, Config, State, NetworkSettings} = Inspected.parse(inspected)
  const health = State.Health?.Status
  const isKnown = health === 'starting' || health === 'healthy' || health === 'unhealthy'
  const hasEnded = State.Status === 'exited' || State.Status === 'dead' || State.Status === 'restarting'
  return {
    id: Id,
    name: Name.replace(/^\//, ''),
    imageId: Image,
    imageRef: Config.Image,
    labels: Config.Labels ?? {},
    state: State.Status,
    health: isKnown ? health : null,
    healthOutput: isKnown ? (State.Health?.Log?.at(-1)?.Output.slice(0, mostHealthOutput) ?? null) : null,
    exitCode: hasEnded ? State.ExitCode : null,
    outOfMemory: State.OOMKilled,
    restartCount: RestartCount,
    pid: State.Pid === 0 ? null : State.Pid,
    startedAt: toInstant(State.StartedAt),
    finishedAt: toInstant(State.FinishedAt),
    addresses: Object.fromEntries(Object.entries(NetworkSettings.Networks ?? {}).flatMap(([name, network]) => (network === null || network.IPAddress === '' ? [] : [[name, network.IPAddress]]))),
    ports: toPorts(NetworkSettings.Ports ?? {}),
  }
}

function toInstant(text: string): string | null {
  const epochMs = Date.parse(text)
  return never.test(text) || Number.isNaN(epochMs) ? null : new Date(epochMs).toISOString()
}

function toPorts(ports: Readonly<Record<string, readonly z.output<typeof Binding>[] | null>>): ContainerFacts['ports'] {
  return Object.entries(ports).flatMap(([key, bindings]) => {
    const [containerPort, protocol] = key.split('/')
    if (protocol !== 'tcp' && protocol !== 'udp') return []
    return (bindings ?? []).map(({HostIp, HostPort}) => ({containerPort: Number(containerPort), protocol, hostAddress: HostIp === '' ? '0.0.0.0' : HostIp, hostPort: Number(HostPort)}))
  })
}
