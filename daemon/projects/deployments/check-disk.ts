import type {EngineFacts} from '../../servers/engine/engine.js'
import type {Runner} from '../../servers/runner.js'
import {DeploymentFailure} from './deployment-failure.js'

const leastBytes = 100 * 1024 * 1024

/** Refuses to begin on a server whose disk is as good as full: an engine without room stops more than this project. */
export async function refuseFullDisk(runner: Runner, {dataFolder}: Pick<EngineFacts, 'dataFolder'>, signal: AbortSignal): Promise<void> {
  const {exitCode, stdout} = await runner.exec(['sh', '-c', 'df -Pk -- "$1" 2>/dev/null || df -Pk /', 'sh', dataFolder], {signal})
  const free = exitCode === 0 ? parseFree(stdout) : undefined
  if (free === undefined || free >= leastBytes) return
  throw new DeploymentFailure('disk', `the disk of the server has only ${Math.floor(free / 1024 ** 2)} MB left; nothing was stopped`, {details: {freeBytes: free}})
}

/** The bytes that are free, of the output of `df -Pk` for one place. */
export function parseFree(text: string): number | undefined {
  const columns = text.trim().split('\n').at(-1)?.trim().split(/\s+/) ?? []
  const kilobytes = Number(columns.at(-3))
  return columns.length >= 6 && Number.isFinite(kilobytes) ? kilobytes * 1024 : undefined
}
