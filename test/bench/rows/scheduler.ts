import {execFile} from 'node:child_process'
import {promisify} from 'node:util'
import type {Row} from '../measure.js'
import {inFolder} from '../processes.js'

const run = promisify(execFile)
const jobs = 100_000
const seconds = 60

/** A minute of the ten over which the fires are spread; each second brings as many as any other. */
export const scheduler: Row = {
  name: 'scheduler',
  measure: () =>
    inFolder(async (home) => {
      const script = ['--expose-gc', 'scripts/run-ts.mjs', 'test/bench/parts/scheduler-process.ts', home, String(jobs), String(seconds)]
      const {stdout} = await run(process.execPath, script)
      const {fired, lateMs, megabytes} = JSON.parse(stdout) as {fired: number; lateMs: number; megabytes: number}
      const note = `${fired} fires in ${seconds} s`
      return [
        {row: 'scheduler: late at the 99th percentile, 100,000 jobs', ours: lateMs, unit: 'ms', figure: lateMs, required: {atMost: 100}, note},
        {row: 'scheduler: memory beyond the job documents', ours: megabytes, unit: 'MB', figure: megabytes, required: {atMost: 150}, note},
      ]
    }),
}
