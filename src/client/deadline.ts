import {Fault} from '../contract/faults.js'
import {withoutQuery} from './transport-fault.js'

export interface Deadline {
  readonly signal: AbortSignal
  /** Something has happened: the time counts from now. */
  restart(): void
  /** From now on only the caller's signal counts. */
  clear(): void
}

/** The caller's signal, joined with a limit on how long an answer may take. */
export function startDeadline(callerSignal: AbortSignal | undefined, timeoutMs: number, url: URL): Deadline {
  const controller = new AbortController()
  const start = () => setTimeout(() => controller.abort(tooSlow(url, timeoutMs)), timeoutMs)
  let timer = start()
  return {
    signal: callerSignal === undefined ? controller.signal : AbortSignal.any([callerSignal, controller.signal]),
    restart() {
      clearTimeout(timer)
      timer = start()
    },
    clear: () => clearTimeout(timer),
  }
}

function tooSlow(url: URL, timeoutMs: number): Fault {
  return new Fault('DAEMON_NOT_RUNNING', `no answer from ${withoutQuery(url)} within ${Math.ceil(timeoutMs / 1000)} s`, {
    details: {url: withoutQuery(url), timeoutMs}, suggestions: ['status'],
  })
}
