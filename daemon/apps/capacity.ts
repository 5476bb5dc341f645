import {z} from 'zod'
import type {Clock} from '../clock.js'
import type {Runner} from '../servers/runner.js'
import {unknownCapacity, type Capacity} from './host-fit.js'
import {withinDeadline} from './within-deadline.js'

/** A machine to ask, as far as the caller may. */
export interface CapacityTarget {
  readonly organizationId: string
  readonly serverId: string
  readonly isLocal: boolean
  /** Changes when the server is edited: it may then be another machine. */
  readonly updatedAt: string
}

export interface CapacityParts {
  readonly clock: Clock
  readonly runnerFor: (serverId: string) => Promise<Runner>
  /** What the machine of this process has. */
  readonly readLocal: () => {readonly cpuCores: number; readonly memoryBytes: number}
}

const probeMs = 10_000
const keptMs = 300_000
const mostKept = 1000

interface Known {
  readonly capacity: Capacity
  readonly untilMs: number
}

/** Reads what machines have, keeping each answer for five minutes. What could not be read is asked for anew. */
export class CapacityReader {
  readonly #parts: CapacityParts
  readonly #stopping = new AbortController()
  readonly #known = new Map<string, Known>()
  readonly #probes = new Map<string, Promise<Capacity>>()

  constructor(parts: CapacityParts) {
    this.#parts = parts
  }

  async read(target: CapacityTarget): Promise<Capacity> {
    const key = [target.organizationId, target.serverId, target.updatedAt].join(' ')
    const known = this.#known.get(key)
    if (known !== undefined && known.untilMs > this.#parts.clock.now()) return known.capacity
    const underWay = this.#probes.get(key)
    if (underWay !== undefined) return underWay
    const probe = this.#probe(target, key).finally(() => this.#probes.delete(key))
    this.#probes.set(key, probe)
    return probe
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the daemon stops'))
    await Promise.all(this.#probes.values())
  }

  async #probe(target: CapacityTarget, key: string): Promise<Capacity> {
    const capacity = (await this.#askEngine(target)) ?? (target.isLocal ? this.#readLocal() : unknownCapacity)
    if (capacity.source !== 'unknown') this.#keep(key, capacity)
    return capacity
  }

  // A machine that can not be reached or has no engine is no failure of the request: nothing is known of it then.
  async #askEngine({serverId}: CapacityTarget): Promise<Capacity | undefined> {
    const {clock, runnerFor} = this.#parts
    try {
      return await withinDeadline({clock, limitMs: probeMs, signal: this.#stopping.signal}, async (signal) => readEngine(await runnerFor(serverId), signal))
    } catch {
      return undefined
    }
  }

  #readLocal(): Capacity {
    const {cpuCores, memoryBytes} = this.#parts.readLocal()
    return {cpuCores, memoryMb: toMb(memoryBytes), source: 'local'}
  }

  #keep(key: string, capacity: Capacity): void {
    const nowMs = this.#parts.clock.now()
    for (const [other, {untilMs}] of this.#known) if (untilMs <= nowMs || this.#known.size >= mostKept) this.#known.delete(other)
    this.#known.set(key, {capacity, untilMs: nowMs + keptMs})
  }
}

// Through a shell, so that a program that is missing is an exit code on every kind of server.
const infoCommand = ['/bin/sh', '-c', '"$@"', 'sh', 'docker', 'info', '--format', '{{json .}}']

// An engine that does not answer makes its client print zeros.
const EngineInfo = z.object({NCPU: z.number().positive(), MemTotal: z.number().positive()})

async function readEngine(runner: Runner, signal: AbortSignal): Promise<Capacity | undefined> {
  const plain = parseInfo(await runner.exec(infoCommand, {signal}))
  if (plain !== undefined) return plain
  // Its socket may be for root alone.
  return parseInfo(await runner.exec(infoCommand, {signal, sudo: true}))
}

function parseInfo({exitCode, stdout}: {readonly exitCode: number | null; readonly stdout: string}): Capacity | undefined {
  if (exitCode !== 0) return undefined
  const info = EngineInfo.safeParse(parseJson(stdout)).data
  return info === undefined ? undefined : {cpuCores: info.NCPU, memoryMb: toMb(info.MemTotal), source: 'docker'}
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Whatever printed this is no engine's client.
    return undefined
  }
}

function toMb(bytes: number): number {
  return Math.floor(bytes / 1_048_576)
}
