import {randomBytes} from 'node:crypto'
import type {EngineCalls} from './engine-calls.js'

// An engine lets a command run on when nobody listens to it any more, and its client does not even say which process it is. So a command
// that is talked to carries a mark in its environment, by which it is found in its container.

const markName = 'MOORAGE_SESSION'
const endMs = 15_000

/** A variable that is given to one command. */
export function sessionMark(): Readonly<Record<string, string>> {
  return {[markName]: randomBytes(12).toString('hex')}
}

// A command comes into a container as the leader of a session, and without a parent there; what it sent into a session of its own lives on.
// Shells end with HUP alone. Only programs that every small image has, and the shell.
const endScript = `mark=$1
command -v grep >/dev/null && command -v tr >/dev/null || exit 1
look() {
  IFS= read -r line 2>/dev/null </proc/$1/stat || return 1
  set -- \${line##*) }
  state=$1 parent=$2 session=$4
}
is_marked() { tr '\\0' '\\n' 2>/dev/null </proc/$1/environ | grep -qxF "$mark"; }
leader=
for d in /proc/[0-9]*; do
  p=\${d#/proc/}
  look "$p" && [ "$session" = "$p" ] && [ "$parent" != 1 ] && is_marked "$p" || continue
  [ "$parent" != 0 ] && is_marked "$parent" || leader=$p
done
[ -n "$leader" ] || exit 0
each() {
  met=1
  for d in /proc/[0-9]*; do
    p=\${d#/proc/}
    look "$p" && [ "$session" = "$leader" ] && [ "$state" != Z ] || continue
    kill "-$1" "$p" 2>/dev/null || [ "$1" = 0 ] || exit 1
    met=0
  done
  return $met
}
each HUP; each CONT
for name in TERM KILL; do
  i=0
  while [ $i -lt 10 ]; do each 0 || exit 0; sleep 0.1 2>/dev/null || { sleep 1; i=10; }; i=$((i + 1)); done
  each $name
done
exit 0`

/** Ends a marked command and what belongs to its session, where the container has what that takes. */
export async function endSession(exec: EngineCalls['exec'], containerId: string, {mark, user}: {readonly mark: Readonly<Record<string, string>>; readonly user: string | undefined}): Promise<void> {
  const wanted = `${markName}=${mark[markName] ?? ''}`
  // As the same user: without more rights than a container has, not even root sees into the processes of others.
  await exec(containerId, ['sh', '-c', endScript, 'sh', wanted], {signal: AbortSignal.timeout(endMs), user})
}
