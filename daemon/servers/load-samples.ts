import {shellTextCommand} from './shell-text.js'
import type {Runner} from './runner.js'

export interface LoadSample {
  readonly type: 'stats'
  /** Percent of all processors since the sample before. */
  readonly cpu: number
  readonly memTotal: number
  readonly memUsed: number
  readonly diskTotal: number
  readonly diskUsed: number
  readonly uptime: string
  readonly load1: string
  readonly load5: string
  readonly load15: string
}

const sampleSeconds = 3

// One command for as long as somebody looks; it ends when it can not write any more.
const samplerText = `while :; do
  read -r m_line </proc/stat && echo "$m_line" || exit 1
  while read -r m_name m_value m_x; do case $m_name in MemTotal: | MemAvailable:) echo "$m_name $m_value" ;; esac; done </proc/meminfo
  read -r m_line </proc/uptime && echo "uptime $m_line"
  read -r m_line </proc/loadavg && echo "load $m_line"
  df -Pk / | while read -r m_line; do echo "df $m_line"; done
  echo end || exit 0
  sleep ${sampleSeconds}
done`

/** Samples of the load of a server, every three seconds, over one command. Ends with the signal; throws when the server can not tell. */
export async function* sampleLoad(runner: Runner, signal: AbortSignal): AsyncGenerator<LoadSample> {
  const done = new AbortController()
  const lines = new LineQueue()
  const {command, env} = shellTextCommand(samplerText)
  const running = runner
    .exec(command, {env, signal: AbortSignal.any([signal, done.signal]), onOutput: (stream, bytes) => stream === 'stdout' && lines.push(bytes.toString('latin1'))})
    .then(() => lines.end(null), (error: unknown) => lines.end(error))
  try {
    let previous: CpuTimes | null = null
    let block: string[] = []
    for await (const line of lines) {
      if (line !== 'end') {
        block.push(line)
        continue
      }
      const {sample, times} = toSample(block, previous)
      previous = times
      block = []
      yield sample
    }
  } finally {
    done.abort()
    await running
  }
}

interface CpuTimes {
  readonly total: number
  readonly idle: number
}

/** One block of the sampler's lines as a sample. */
export function toSample(block: readonly string[], previous: CpuTimes | null): {sample: LoadSample; times: CpuTimes} {
  const fields = (name: string) => (block.find((line) => line.startsWith(`${name} `)) ?? '').split(/\s+/).slice(1)
  const cpu = fields('cpu').map(Number)
  const times = {total: sum(cpu.slice(0, 8)), idle: (cpu[3] ?? 0) + (cpu[4] ?? 0)}
  const span = times.total - (previous?.total ?? 0)
  const busy = span <= 0 ? 0 : 1 - (times.idle - (previous?.idle ?? 0)) / span
  const memTotal = Number(fields('MemTotal:')[0] ?? 0) * 1024
  const memAvailable = Number(fields('MemAvailable:')[0] ?? 0) * 1024
  const disk = block.filter((line) => line.startsWith('df ')).at(-1)?.split(/\s+/) ?? []
  const [load1 = '0', load5 = '0', load15 = '0'] = fields('load')
  return {
    times,
    sample: {
      type: 'stats',
      cpu: Math.round(Math.min(Math.max(busy, 0), 1) * 1000) / 10,
      memTotal, memUsed: memTotal - memAvailable,
      diskTotal: Number(disk[2] ?? 0) * 1024, diskUsed: Number(disk[3] ?? 0) * 1024,
      uptime: inWords(Number(fields('uptime')[0] ?? 0)),
      load1, load5, load15,
    },
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function inWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24]
  return `${days > 0 ? `${days}d ` : ''}${days > 0 || hours > 0 ? `${hours}h ` : ''}${minutes % 60}m`
}

/** Lines from a callback to a loop. A sampler writes a few hundred bytes every three seconds, so nothing piles up. */
class LineQueue {
  #rest = ''
  #lines: string[] = []
  #ended = false
  #error: unknown = null
  #wake: () => void = () => undefined

  push(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    this.#lines.push(...lines)
    this.#wake()
  }

  end(error: unknown): void {
    this.#ended = true
    this.#error = error
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      yield* this.#lines.splice(0)
      if (this.#lines.length > 0) continue
      if (this.#ended) {
        if (this.#error !== null) throw this.#error
        return
      }
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
