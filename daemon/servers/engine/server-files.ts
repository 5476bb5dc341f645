import path from 'node:path'
import {Fault} from '../../../src/contract/faults.js'
import type {ExecResult, Runner} from '../runner.js'
import {isDiskFull, refused, type EngineSubject} from './engine-faults.js'

// Files in our folder on a server. Content goes over stdin; arguments hold paths alone.

export interface FilePlace {
  readonly runner: Runner
  readonly subject: EngineSubject
  readonly folder: string
  readonly sudo: boolean
}

const mostBytesRead = 16 * 1024 * 1024

// Written beside and renamed, so that nobody ever sees a part; a connection that drops in the middle leaves the old one, as the count is short then.
const writeScript = `umask 077
export LC_ALL=C
[ ! -d "$2" ] || { echo "$2 is a folder" >&2; exit 1; }
mkdir -p -- "$1" || exit 1
d=$1
while [ -n "$5" ] && [ "\${#d}" -ge "\${#5}" ]; do chmod 755 "$d" || exit 1; d=\${d%/*}; done
t=$(mktemp "$1/.new.XXXXXX") || exit 1
trap 'rm -f -- "$t"' EXIT
trap 'exit 1' HUP INT TERM
cat >"$t" && [ "$(wc -c <"$t")" -eq "$3" ] && chmod "$4" "$t" && mv -f -- "$t" "$2"`

export interface WrittenFile {
  readonly path: string
  readonly content: string | Buffer
  readonly mode?: number | undefined
  /** A folder on the way: it and those below are for everybody to read. */
  readonly readableFrom?: string | undefined
}

export async function writeServerFile(place: FilePlace, file: WrittenFile, signal: AbortSignal): Promise<void> {
  const target = pathBelow(place.folder, file.path)
  const readableFrom = file.readableFrom === undefined ? '' : pathBelow(place.folder, file.readableFrom)
  if (!`${target}/`.startsWith(`${readableFrom}/`)) throw new Error(`${target} does not lie below ${readableFrom}`)
  const bytes = Buffer.isBuffer(file.content) ? file.content : Buffer.from(file.content)
  const words = [path.posix.dirname(target), target, String(bytes.length), (file.mode ?? 0o600).toString(8), readableFrom]
  const result = await run(place, writeScript, words, {signal, input: bytes})
  if (result.exitCode !== 0) throw failure(place, `write ${target}`, result)
}

const missingExit = 44
const readScript = `[ -f "$1" ] || exit ${missingExit}
exec cat -- "$1"`

export async function readServerFile(place: FilePlace, file: string, signal: AbortSignal): Promise<string | undefined> {
  const target = pathBelow(place.folder, file)
  const result = await run(place, readScript, [target], {signal, maxOutputBytes: mostBytesRead})
  if (result.exitCode === missingExit) return undefined
  if (result.exitCode !== 0) throw failure(place, `read ${target}`, result)
  if (result.truncated) throw refused('CONFLICT', `${target} on ${place.subject.name} is larger than ${mostBytesRead} bytes`, {serverId: place.subject.serverId, reason: 'too_large'})
  return result.stdout
}

const removeScript = `[ -n "$2" ] && [ -e "$1/$2" ] || exec rm -rf -- "$1"
for f in "$1"/* "$1"/.[!.]* "$1"/..?*; do
  [ "$f" = "$1/$2" ] || rm -rf -- "$f" || exit 1
done`

export async function removeServerFolder(place: FilePlace, {path: folder, keep = ''}: {readonly path: string; readonly keep?: string | undefined}, signal: AbortSignal): Promise<void> {
  const target = pathBelow(place.folder, folder)
  const result = await run(place, removeScript, [target, keep], {signal})
  if (result.exitCode !== 0) throw failure(place, `remove ${target}`, result)
}

/** An absolute path strictly below a folder; what leads out of it is refused. */
export function pathBelow(folder: string, wished: string): string {
  const target = path.posix.resolve(folder, wished)
  if (wished.includes('\0') || !target.startsWith(`${folder}/`) || target.length <= folder.length + 1) {
    throw new Fault('VALIDATION_ERROR', `${JSON.stringify(wished)} does not lie below ${folder}`)
  }
  return target
}

function run({runner, sudo}: FilePlace, script: string, words: readonly string[], options: {readonly signal: AbortSignal; readonly input?: Buffer; readonly maxOutputBytes?: number}): Promise<ExecResult> {
  return runner.exec(['/bin/sh', '-c', script, 'sh', ...words], {...options, sudo})
}

function failure({subject}: FilePlace, what: string, {stderr, exitCode}: ExecResult): Fault {
  const words = stderr.trim().split('\n').at(-1) || `the command ended with ${exitCode ?? 'no exit code'}`
  const full = isDiskFull(stderr)
  return refused('CONFLICT', full ? `the disk of ${subject.name} is full; can not ${what}` : `can not ${what} on ${subject.name}: ${words}`, {serverId: subject.serverId, reason: full ? 'disk_full' : 'file_refused'})
}
