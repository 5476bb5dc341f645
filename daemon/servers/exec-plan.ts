import {shellCommand, shellExports, shellLine, shellWord} from './shell-words.js'

export type SudoMode = 'none' | 'without_password' | 'with_password'

export interface ExecPlan {
  readonly words: readonly string[]
  /** Goes to stdin before the input of the command: the sudo password, then the line for the shell. Never an argument. */
  readonly stdin: readonly string[]
}

export interface ExecWish {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | null
  readonly sudo: SudoMode
  readonly password: string | null
  /** Comes back on stderr with the id of the process, before anything else. */
  readonly token?: string
}

// Reads one line and runs it; what follows on stdin is the command's. `read` takes byte by byte, so nothing is taken from it.
const lineShell = ['/bin/sh', '-c', 'IFS= read -r m_line && eval "$m_line"']

/** How to run a command through a shell that gets everything over stdin. */
export function execPlan(wish: ExecWish): ExecPlan {
  const script = [
    ...(wish.token === undefined ? [] : [`echo ${shellWord(wish.token)} "$$" >&2`]),
    ...shellExports(wish.env),
    ...(wish.cwd === null ? [] : [`cd -- ${shellWord(wish.cwd)} || exit 1`]),
    `exec ${shellCommand(wish.command)}`,
  ].join('\n')
  const line = `m_nl=$(printf '\\nx'); m_nl=\${m_nl%x}; eval ${shellLine(script)}\n`
  return asWished(wish, lineShell, [line])
}

/** How to run a command on a terminal: that would show what comes in, so the command goes as text, and over stdin a password alone. */
export function terminalPlan(wish: Pick<ExecWish, 'command' | 'env' | 'sudo' | 'password'>): ExecPlan {
  return asWished(wish, ['env', ...Object.entries(wish.env).map(([name, value]) => `${name}=${value}`), ...wish.command], [])
}

function asWished({sudo, password}: Pick<ExecWish, 'sudo' | 'password'>, words: readonly string[], stdin: readonly string[]): ExecPlan {
  switch (sudo) {
    case 'none':
      return {words, stdin}
    case 'without_password':
      return {words: ['sudo', '-n', '--', ...words], stdin}
    case 'with_password':
      // -k makes sudo ask each time, so the password never ends up in the input of the command.
      return {words: ['sudo', '-k', '-S', '-p', '', '--', ...words], stdin: [`${password ?? ''}\n`, ...stdin]}
  }
}

/** The text of an exec request; the same for every command, and plain enough for any login shell. */
export function execText(plan: ExecPlan): string {
  return `exec ${shellCommand(plan.words)}`
}

/** Signals the group of a process that was started by such a plan. */
export function killCommand(pid: number, signal: 'TERM' | 'KILL'): readonly string[] {
  return ['/bin/sh', '-c', `kill -${signal} -${pid} 2>/dev/null || kill -${signal} ${pid}`]
}
