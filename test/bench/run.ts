import {writeFileSync} from 'node:fs'
import os from 'node:os'
import {holds, isMissing, type Measurement, type Missing, type Row} from './measure.js'
import {appsValidate} from './rows/apps-validate.js'
import {cliStart} from './rows/cli-start.js'
import {daemonStart} from './rows/daemon-start.js'
import {deploy} from './rows/deploy.js'
import {durableWrites} from './rows/durable-writes.js'
import {memory} from './rows/memory.js'
import {requests} from './rows/requests.js'
import {scheduler} from './rows/scheduler.js'
import {sshRuns} from './rows/ssh-runs.js'

const rows: readonly Row[] = [cliStart, daemonStart, memory, requests, durableWrites, scheduler, sshRuns, appsValidate, deploy]

const round = (value: number) => Number(value.toPrecision(3))

function line(result: Measurement | Missing): string[] {
  if (isMissing(result)) return ['–', result.row, '', '', '', '', result.missing]
  const {row, ours, peer, unit, figure, required, note} = result
  const needed = 'atMost' in required ? `≤ ${required.atMost}` : `≥ ${required.atLeast}`
  return [holds(result) ? 'ok' : 'MISS', row, `${round(ours)} ${unit}`, peer === undefined ? '' : `${round(peer)}`, `${round(figure)}`, needed, note ?? '']
}

function table(results: readonly (Measurement | Missing)[]): string {
  const lines = [['', 'what', 'ours', 'peer', 'figure', 'needed', 'note'], ...results.map(line)]
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0))) ?? []
  return lines.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n')
}

/** Measures the rows whose names begin with one of the arguments, or all. A row that fails to run is told, and the others still run. */
export async function main(names: readonly string[]): Promise<void> {
  const chosen = rows.filter((row) => names.length === 0 || names.some((name) => row.name.startsWith(name)))
  const results: (Measurement | Missing)[] = []
  for (const row of chosen) {
    console.error(`${row.name} …`)
    try {
      results.push(...(await row.measure()))
    } catch (error) {
      results.push({row: row.name, missing: `did not run: ${error instanceof Error ? error.message : String(error)}`})
    }
  }
  console.log(table(results))
  const machine = {node: process.version, cpus: os.cpus().map((cpu) => cpu.model), memoryBytes: os.totalmem()}
  const measured = results.map((result) => (isMissing(result) ? result : {...result, holds: holds(result)}))
  writeFileSync('bench-results.json', `${JSON.stringify({at: new Date().toISOString(), machine, results: measured}, null, 2)}\n`)
  if (results.some((result) => !isMissing(result) && !holds(result))) process.exitCode = 1
}
