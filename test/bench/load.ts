import {execFile} from 'node:child_process'
import path from 'node:path'
import {promisify} from 'node:util'
import {root} from './processes.js'

export interface Load {
  readonly url: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly connections: number
  readonly durationMs: number
}

const run = promisify(execFile)

/** Answered requests a second. A refused request is an error: it would make the figure a lie. */
export async function requestsPerSecond(load: Load): Promise<number> {
  const {stdout} = await run(process.execPath, [path.join(root, 'test/bench/parts/load.mjs'), JSON.stringify(load)])
  const {perSecond, refused, firstRefusal} = JSON.parse(stdout) as {perSecond: number; refused: number; firstRefusal: string}
  if (refused > 0) throw new Error(`${refused} requests were refused, the first with ${firstRefusal}`)
  return perSecond
}
