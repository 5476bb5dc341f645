import type {RunStatus} from '../contract/run.js'

export const runStatuses: readonly RunStatus[] = ['queued', 'running', 'success', 'failed', 'cancelled', 'skipped']

/** The parser has checked the text against the same list. */
export function parseRunStatus(text: string | undefined): RunStatus | undefined {
  return runStatuses.find((status) => status === text)
}
