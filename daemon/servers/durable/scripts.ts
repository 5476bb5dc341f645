import {Fault} from '../../../src/contract/faults.js'
import {shellExports, shellWord} from '../shell-words.js'
import type {DurableCommand, DurableStream} from '../runner.js'
import {followLibrary, launchLibrary, stopLibrary} from './wrapper.js'

// Whole scripts, as they are sent to `/bin/sh -s`. Each is one compound command: half of it, after a dropped connection, runs nothing.

export interface ScriptContext {
  /** Marks our own lines among what login scripts may print. */
  readonly token: string
  /** The folder of all run folders, absolute; null: ~/.moorage/runs of the login user. */
  readonly runsFolder: string | null
}

export interface LaunchContext extends ScriptContext {
  /** The daemon's clock. All instants of the run are this one plus what passed since on the server. */
  readonly launchedAtMs: number
  /** Start bash and zsh as login shells. */
  readonly loginShell: boolean
  /** Instead of $SHELL. */
  readonly shell?: string | undefined
}

const idPattern = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}$/

// Records are written over blanks that are there from the start, and every pipe is: a command may fill the disk.
function emptyFolder(streams: readonly DurableStream[]): string[] {
  const pipes = streams.flatMap((stream) => ['pipe', 'over', 'rest'].map((end) => ` "$m_dir/${stream}.${end}"`))
  const blanks = ['exit', ...streams.flatMap((stream) => [`${stream}.count`, `${stream}.dropped`])]
  const writes = blanks.map((name) => `printf '%${name === 'exit' ? 300 : 30}s\\n' '' >"$m_dir/${name}"`)
  return [
    `m_error=$(mkfifo "$m_dir/end"${pipes.join('')} 2>&1) && m_error='no space left for its records' && { ${writes.join(' && ')}; } 2>/dev/null ||`,
    '  { rm -rf "$m_dir"; m_tell "failed $m_error"; exit; }',
  ]
}

/** Starts the run unless it was started before, then follows it. */
export function launchScript(context: LaunchContext, command: DurableCommand, from: number): string {
  return script(context, command.id, launchLibrary, [
    // A channel that closes now must not end the shell between its claim and the start of the command.
    "trap '' PIPE",
    'm_uptime',
    'm_up0=$m_up',
    `[ -d "$m_base" ] || mkdir -p -m 700 "$m_base"`,
    'if m_error=$(mkdir -m 700 "$m_dir" 2>&1); then :',
    `elif [ -d "$m_dir" ]; then m_join "$m_dir" "$m_dir/output" ${from}; exit`,
    'else m_tell "failed $m_error"; exit; fi',
    ...emptyFolder(command.separateStderr ? ['output', 'stderr'] : ['output']),
    'exec 9<>"$m_dir/end"',
    `: >"$m_dir/output"${command.separateStderr ? ' >"$m_dir/stderr"' : ''}`,
    'm_uptime',
    `m_line="started ${context.launchedAtMs} $m_up0 $m_up ${command.separateStderr ? 1 : 0} ."`,
    'set -C',
    `{ printf '%s\\n' "$m_line" >"$m_dir/start"; } 2>/dev/null || { set +C; exec 9>&-; m_join "$m_dir" "$m_dir/output" ${from}; exit; }`,
    'set +C',
    'm_tell "$m_line"',
    // The braces matter: dash keeps a copy of a descriptor that it closes for a function alone.
    `{ m_follow "$m_dir" "$m_dir/output" ${from}; } 9>&- &`,
    'm_follower=$!',
    'exec </dev/null 3<&- >/dev/null 2>"$m_dir/why"',
    ...supervise(context, command),
  ])
}

// From here on the shell is the supervisor of the run. It stays the main process of the channel, never a background one: those have
// SIGINT ignored in a way that the command would inherit.
function supervise(context: LaunchContext, command: DurableCommand): string[] {
  const separate = command.separateStderr
  return [
    "trap '' HUP INT QUIT",
    ...drainer('output', command.outputLimitBytes),
    ...(separate ? drainer('stderr', command.outputLimitBytes) : []),
    ...(command.timeoutMs === null ? [] : timer(command.timeoutMs, command.killGraceMs)),
    // Asking the shell where it is would cost a process. Without it the shell's job control makes the group, where it can without a terminal.
    'm_setsid=/usr/bin/setsid',
    '[ -x "$m_setsid" ] || m_setsid=$(command -v setsid) || { m_setsid=; set -m; } 2>/dev/null',
    '(',
    'trap - HUP INT QUIT PIPE',
    'm_whoami',
    'm_start_time "$m_stat"',
    `printf '%s %s %s .\\n' "$m_self" "$m_start" "$m_boot" >"$m_dir/pid"`,
    '[ ! -e "$m_dir/stop" ] || kill -TERM "$m_self"',
    ...chooseShell(context, command.script),
    '[ -z "$m_setsid" ] || set -- "$m_setsid" "$@"',
    ...shellExports(command.env),
    `export MOORAGE_SCRIPT=${shellWord(command.script)}`,
    'exec "$@"',
    `) >"$m_dir/output.pipe" 2>${separate ? '"$m_dir/stderr.pipe"' : '&1'} 9>&-`,
    'm_code=$?',
    'm_uptime',
    'm_finish=$m_up',
    ...signalName,
    'm_settle "$m_dir/output" "$m_output_drainer"',
    'm_sizes="$((m_size)) $((m_drop))"',
    ...(separate ? ['m_settle "$m_dir/stderr" "$m_stderr_drainer"', 'm_sizes="$m_sizes $((m_size)) $((m_drop))"'] : ['m_sizes="$m_sizes 0 0"']),
    'm_timed=0 m_stopped=0',
    ...(command.timeoutMs === null ? [] : ['if [ -e "$m_dir/timeout" ]; then m_timed=1; wait "$m_alarm"; else kill "$m_alarm" 2>/dev/null; fi']),
    '[ ! -e "$m_dir/stop" ] || m_stopped=1',
    `printf '%s\\n' "exit $m_code $m_signal $m_timed $m_stopped $m_finish $m_sizes ." 1<>"$m_dir/exit"`,
    // That wakes the followers. Ours still needs the channel, whose stdin is closed when its main process ends.
    'exec 9>&-',
    'wait "$m_follower"',
  ]
}

function drainer(stream: DurableStream, limitBytes: number): string[] {
  return [`{ m_drain "$m_dir/${stream}" ${limitBytes}; } 3<"$m_dir/${stream}.pipe" 2>/dev/null 9>&- &`, `m_${stream}_drainer=$!`]
}

function timer(timeoutMs: number, graceMs: number): string[] {
  return [
    '{',
    'm_before=$!',
    `trap '[ "$!" = "$m_before" ] || kill "$!" 2>/dev/null; exit' TERM`,
    `sleep ${timeoutMs / 1000} &`,
    `wait "$!" || { sleep ${Math.ceil(timeoutMs / 1000)} & wait "$!"; }`,
    ': >"$m_dir/timeout"',
    'read -r m_pid m_x <"$m_dir/pid"',
    `m_end_group "$m_pid" ${tenths(graceMs)}`,
    '} >/dev/null 2>&1 9>&- &',
    'm_alarm=$!',
  ]
}

// The script comes through the environment and not as an argument, which anyone on the server could read. What is no relative of sh
// is given a file.
function chooseShell(context: LaunchContext, script: string): string[] {
  const login = context.loginShell ? 'bash | zsh) set -- -l ;; *) set -- ;;' : '*) set -- ;;'
  return [
    context.shell === undefined ? 'm_shell=${SHELL:-/bin/sh}' : `m_shell=${shellWord(context.shell)}`,
    '[ -x "$m_shell" ] || m_shell=/bin/sh',
    `case \${m_shell##*/} in ${login} esac`,
    'case ${m_shell##*/} in',
    `sh | bash | dash | ash | ksh | ksh93 | mksh | zsh | busybox) set -- "$m_shell" "$@" -c 'eval "unset MOORAGE_SCRIPT; $MOORAGE_SCRIPT"' ;;`,
    `fish) set -- "$m_shell" -c 'eval "set -e MOORAGE_SCRIPT; $MOORAGE_SCRIPT"' ;;`,
    `*) printf '%s\\n' ${shellWord(script)} >"$m_dir/script"; set -- "$m_shell" "$m_dir/script" ;;`,
    'esac',
  ]
}

// A shell tells `exit 137` and death by KILL apart only by what it prints of the latter; of INT and PIPE none does, and bash not of TERM.
const signalName = [
  'm_signal=-',
  'if [ "$m_code" -gt 128 ]; then',
  'm_told=',
  '[ ! -s "$m_dir/why" ] || m_told=1',
  'case $m_code in 130 | 141) m_told=1 ;; 143) [ -z "$BASH_VERSION" ] || m_told=1 ;; esac',
  '[ -z "$m_told" ] || m_signal=$(kill -l "$((m_code - 128))" 2>/dev/null) || m_signal=-',
  'fi',
]

/** Follows a run that was started before. Its output, or its separate stderr. */
export function followScript(context: ScriptContext, id: string, stream: DurableStream, from: number): string {
  return script(context, id, followLibrary, [
    `if [ -d "$m_dir" ]; then m_join "$m_dir" "$m_dir/${stream}" ${from}`,
    `else m_tell 'lost 0 .'; fi`,
  ])
}

/** What was kept, from a byte on. */
export function fetchScript(context: ScriptContext, id: string, stream: DurableStream, from: number): string {
  return script(context, id, '', [`exec tail -c +${from + 1} "$m_dir/${stream}"`])
}

export function stopScript(context: ScriptContext, id: string, graceMs: number): string {
  return script(context, id, stopLibrary, [
    'm_error=$(mkdir -p -m 700 "$m_base" "$m_dir" 2>&1) && m_error=$( { : >"$m_dir/stop"; } 2>&1) || { m_tell "failed $m_error"; exit; }',
    `if (set -C; echo 'stopped .' >"$m_dir/start") 2>/dev/null; then m_tell 'done .'; exit; fi`,
    'm_end=',
    '[ ! -e "$m_dir/exit" ] || read -r m_end <"$m_dir/exit"',
    `case $m_end in *' .') m_tell 'done .'; exit ;; esac`,
    // Without the record there is no process yet; it looks for our mark after writing it.
    'm_pid= m_stat=',
    '[ ! -e "$m_dir/pid" ] || read -r m_pid m_was <"$m_dir/pid"',
    `if [ -n "$m_pid" ]; then`,
    '[ ! -r "/proc/$m_pid/stat" ] || read -r m_stat <"/proc/$m_pid/stat"',
    'm_start_time "$m_stat"',
    `[ "$m_was" != "$m_start $m_boot ." ] || m_end_group "$m_pid" ${tenths(graceMs)}`,
    'fi',
    `m_tell 'done .'`,
  ])
}

export function removeScript(context: ScriptContext, id: string): string {
  return script(context, id, '', [`if m_error=$(rm -rf "$m_dir" 2>&1); then m_tell 'done .'; else m_tell "failed $m_error"; fi`])
}

function script(context: ScriptContext, id: string, library: string, lines: readonly string[]): string {
  if (!idPattern.test(id)) throw new Fault('VALIDATION_ERROR', `${JSON.stringify(id)} can not name a run folder`)
  const base = context.runsFolder === null ? '"$HOME/.moorage/runs"' : shellWord(context.runsFolder)
  return [
    '{',
    `m_token=${context.token}`,
    `m_base=${base}`,
    `m_dir=$m_base/${id}`,
    'm_tell() { printf \'%s %s\\n\' "$m_token" "$1" >&2; }',
    'exec 3<&0',
    library.trim(),
    `printf '%s\\n' "$m_token"`,
    ...lines,
    'exit',
    '}',
    '',
  ].filter((line, index) => line !== '' || index > 8).join('\n')
}

function tenths(milliseconds: number): number {
  return Math.ceil(milliseconds / 100)
}
