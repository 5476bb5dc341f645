import {setTimeout as sleep} from 'node:timers/promises'
import {median, type Row} from '../measure.js'
import {inFolder, residentMegabytes, serve} from '../processes.js'
import {seedHome} from '../seed.js'

const settleMs = 5000
const samples = 5

/** What a daemon holds once its start is over: the median of some seconds. */
async function idleMegabytes(home: string): Promise<number> {
  const daemon = await serve(home)
  try {
    await sleep(settleMs)
    const values: number[] = []
    for (let sample = 0; sample < samples; sample++) {
      values.push(await residentMegabytes(daemon.pid))
      await sleep(200)
    }
    return median(values)
  } finally {
    await daemon.stop()
  }
}

export const memory: Row = {
  name: 'memory',
  async measure() {
    const idle = await inFolder(idleMegabytes)
    const full = await inFolder(async (home) => {
      await seedHome(home, {jobs: 10_000, runs: 100_000})
      return idleMegabytes(home)
    })
    return [
      {row: 'daemon: resident memory, idle', ours: idle, unit: 'MB', figure: idle, required: {atMost: 90}},
      {row: 'daemon: resident memory, 10,000 jobs and 100,000 runs', ours: full, unit: 'MB', figure: full, required: {atMost: 300}},
    ]
  },
}
