import {median, type Row} from '../measure.js'
import {inFolder, serve} from '../processes.js'
import {seedHome} from '../seed.js'

const rounds = 7

async function startMs(home: string): Promise<number> {
  const values: number[] = []
  for (let round = 0; round < rounds; round++) {
    const daemon = await serve(home)
    await daemon.stop()
    values.push(daemon.startMs)
  }
  return median(values)
}

export const daemonStart: Row = {
  name: 'daemon-start',
  async measure() {
    const empty = await inFolder(startMs)
    const full = await inFolder(async (home) => {
      await seedHome(home, {jobs: 100, runs: 100_000})
      return startMs(home)
    })
    return [
      {row: 'daemon: start to first 200, empty store', ours: empty, unit: 'ms', figure: empty / 1000, required: {atMost: 0.5}},
      {row: 'daemon: start to first 200, 100,000 runs', ours: full, unit: 'ms', figure: full / 1000, required: {atMost: 2}},
    ]
  },
}
