import {execFile} from 'node:child_process'
import {existsSync} from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import {byTurns, type Row} from '../measure.js'
import {requestsPerSecond} from '../load.js'
import {inFolder, root, serve, type Served} from '../processes.js'

const run = promisify(execFile)
const rounds = 3
const seconds = 3
const memoryDisk = '/dev/shm'

function writesPerSecond(daemon: Served): Promise<number> {
  return requestsPerSecond({
    url: daemon.url,
    method: 'POST',
    path: '/api/projects',
    headers: {authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json'},
    body: JSON.stringify({name: '%N'}),
    connections: 32,
    durationMs: seconds * 1000,
  })
}

let files = 0
async function sqliteCommitsPerSecond(folder: string): Promise<number> {
  const file = path.join(folder, `peer-${files++}.sqlite`)
  const {stdout} = await run('python3', [path.join(root, 'test/bench/parts/sqlite_commits.py'), file, String(seconds)])
  return (JSON.parse(stdout) as {perSecond: number}).perSecond
}

/** Beside SQLite in the same folder, and beside the same route on a disk in memory, where the write costs nothing. */
export const durableWrites: Row = {
  name: 'durable-writes',
  async measure() {
    if (!existsSync(memoryDisk)) return [{row: 'durable writes', missing: `${memoryDisk} is not there`}]
    return inFolder((disk) => inFolder(async (memory) => {
      const [ours, unwritten] = [await serve(path.join(disk, 'home')), await serve(path.join(memory, 'home'))]
      try {
        const result = await byTurns(rounds, {
          ours: () => writesPerSecond(ours),
          sqlite: () => sqliteCommitsPerSecond(disk),
          unwritten: () => writesPerSecond(unwritten),
        })
        const needed = Math.min(3 * result.sqlite, 0.5 * result.unwritten)
        const note = `SQLite ${Math.round(result.sqlite)}/s (× ${(result.ours / result.sqlite).toFixed(2)}), without the disk ${Math.round(result.unwritten)}/s (× ${(result.ours / result.unwritten).toFixed(2)})`
        return [{row: 'durable writes over HTTP, 32 at once, to what is needed', ours: result.ours, peer: needed, unit: 'writes/s', figure: result.ours / needed, required: {atLeast: 1}, note}]
      } finally {
        await Promise.all([ours.stop(), unwritten.stop()])
      }
    }, memoryDisk))
  },
}
