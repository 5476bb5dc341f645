import {z} from 'zod'
import type {ContainerUsage} from './engine.js'

// What `GET /containers/ID/json?size=true` and `docker inspect --size` answer, as far as it tells what is used.
const Sized = z.object({SizeRw: z.number().nullish(), HostConfig: z.object({Memory: z.number().default(0)}).default({Memory: 0})})

const Cpu = z.object({
  cpu_usage: z.object({total_usage: z.number().default(0), percpu_usage: z.array(z.number()).nullish()}).default({total_usage: 0}),
  system_cpu_usage: z.number().default(0),
  online_cpus: z.number().optional(),
})
// Docker Engine API, ContainerStats. A container that does not run has an answer without numbers.
const Stats = z.object({
  cpu_stats: Cpu,
  precpu_stats: Cpu,
  memory_stats: z.object({usage: z.number().default(0), stats: z.record(z.string(), z.number()).optional()}).default({usage: 0}),
  networks: z.record(z.string(), z.object({rx_bytes: z.number(), tx_bytes: z.number()})).optional(),
})

const Printed = z.object({CPUPerc: z.string(), MemUsage: z.string(), NetIO: z.string()})

function sizesOf(inspected: unknown): Pick<ContainerUsage, 'writtenBytes' | 'memoryLimitBytes'> {
  const {SizeRw, HostConfig} = Sized.parse(inspected)
  return {writtenBytes: SizeRw ?? 0, memoryLimitBytes: HostConfig.Memory === 0 ? null : HostConfig.Memory}
}

/** From the two answers of the API. Memory as `docker stats` counts it: without the page cache that can be dropped. */
export function toContainerUsage(stats: unknown, inspected: unknown): ContainerUsage {
  const {cpu_stats: now, precpu_stats: before, memory_stats: memory, networks = {}} = Stats.parse(stats)
  const used = now.cpu_usage.total_usage - before.cpu_usage.total_usage
  const passed = now.system_cpu_usage - before.system_cpu_usage
  const cores = now.online_cpus ?? now.cpu_usage.percpu_usage?.length ?? 1
  const cache = memory.stats?.['inactive_file'] ?? memory.stats?.['total_inactive_file'] ?? 0
  const sum = (pick: (network: {rx_bytes: number; tx_bytes: number}) => number) => Object.values(networks).reduce((total, network) => total + pick(network), 0)
  return {
    cpuPercent: used > 0 && passed > 0 ? (used / passed) * cores * 100 : 0,
    memoryBytes: Math.max(0, memory.usage - cache),
    networkRxBytes: sum(({rx_bytes: bytes}) => bytes),
    networkTxBytes: sum(({tx_bytes: bytes}) => bytes),
    ...sizesOf(inspected),
  }
}

/** From what the client of the engine prints: `docker stats --no-stream --format '{{json .}}'`. */
export function readPrintedUsage(line: unknown, inspected: unknown): ContainerUsage {
  const {CPUPerc, MemUsage, NetIO} = Printed.parse(line)
  const [received = '', sent = ''] = NetIO.split(' / ')
  return {
    cpuPercent: Number.parseFloat(CPUPerc) || 0,
    memoryBytes: printedBytes(MemUsage.split(' / ')[0] ?? ''),
    networkRxBytes: printedBytes(received),
    networkTxBytes: printedBytes(sent),
    ...sizesOf(inspected),
  }
}

const units: Readonly<Record<string, number>> = {
  B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4,
}

// `--` for a container that does not run.
function printedBytes(text: string): number {
  const [, amount = '0', unit = 'B'] = /^([\d.]+)\s*([A-Za-z]+)$/.exec(text.trim()) ?? []
  return Math.round(Number(amount) * (units[unit] ?? 1))
}
