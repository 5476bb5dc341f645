/** What the daemon tells its operator: a line of JSON each, on stderr, where journald or the log file takes it. */
export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface LogOptions {
  readonly write: (line: string) => void
  readonly now: () => number
  /** Masks every secret in play. */
  readonly redact: (text: string) => string
}

export function createLog({write, now, redact}: LogOptions): Log {
  const line = (level: string) => (message: string, fields: LogFields = {}) => {
    write(`${redact(JSON.stringify({at: new Date(now()).toISOString(), level, message, ...fields}))}\n`)
  }
  return {info: line('info'), warn: line('warn'), error: line('error')}
}

/** The stack of a bug, for the log only; nothing of it goes to a caller. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : ` <- ${describeError(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}
