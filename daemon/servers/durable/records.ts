import {constants} from 'node:os'
import {Fault} from '../../../src/contract/faults.js'
import {toInstant} from '../../clock.js'
import type {DurableEnd} from '../runner.js'

// The lines that our scripts write about a run, parsed. Times in them are seconds that only go forward on the server.

export interface StartRecord {
  readonly kind: 'started'
  readonly launchedAtMs: number
  readonly launchedUp: number
  readonly startedUp: number
  readonly separateStderr: boolean
}

export interface EndRecord {
  readonly kind: 'exit' | 'lost'
  readonly code: number
  readonly signal: string | null
  readonly timedOut: boolean
  readonly stopped: boolean
  readonly finishedUp: number
  /** Bytes that the server keeps of each stream. */
  readonly outputBytes: number
  readonly stderrBytes: number
  readonly droppedOutput: number
  readonly droppedStderr: number
}

export type RunLine = StartRecord | EndRecord | {readonly kind: 'never'} | {readonly kind: 'done'} | {readonly kind: 'failed'; readonly message: string}

const startLine = /^started (\d+) (\d+(?:\.\d+)?) (\d+(?:\.\d+)?) ([01]) \.$/
const exitLine = /^exit (\d+) (-|[A-Z0-9+]+) ([01]) ([01]) (\d+(?:\.\d+)?) (\d+) (\d+) (\d+) (\d+) \.$/
const lostLine = /^lost (\d+) \.$/

export function parseRunLine(line: string): RunLine {
  const start = startLine.exec(line)
  if (start !== null) {
    const [, launchedAtMs, launchedUp, startedUp, separate] = start
    return {kind: 'started', launchedAtMs: Number(launchedAtMs), launchedUp: Number(launchedUp), startedUp: Number(startedUp), separateStderr: separate === '1'}
  }
  const exit = exitLine.exec(line)
  if (exit !== null) return toExit(exit)
  const lost = lostLine.exec(line)
  if (lost !== null) return {...nothingKnown, outputBytes: Number(lost[1])}
  if (line.startsWith('failed')) return {kind: 'failed', message: line.slice(7).trim() || 'no reason was given'}
  if (line === 'done .') return {kind: 'done'}
  // `abandoned`: whoever claimed the folder was gone before the command began; it never will.
  if (line === 'stopped .') return {kind: 'never'}
  if (line === 'abandoned .') return nothingKnown
  throw new Fault('INTERNAL', `a run folder holds a record that is not ours: ${JSON.stringify(line.slice(0, 200))}`)
}

const nothingKnown = {
  kind: 'lost', code: 0, signal: null, timedOut: false, stopped: false, finishedUp: 0, outputBytes: 0, stderrBytes: 0, droppedOutput: 0, droppedStderr: 0,
} as const satisfies EndRecord

function toExit(match: RegExpExecArray): EndRecord {
  const [, code, signal, timedOut, stopped, finishedUp, outputBytes, droppedOutput, stderrBytes, droppedStderr] = match
  return {
    kind: 'exit',
    code: Number(code),
    signal: signal === undefined || signal === '-' ? null : signalName(signal),
    timedOut: timedOut === '1',
    stopped: stopped === '1',
    finishedUp: Number(finishedUp),
    outputBytes: Number(outputBytes),
    stderrBytes: Number(stderrBytes),
    droppedOutput: Number(droppedOutput),
    droppedStderr: Number(droppedStderr),
  }
}

/** Shells say KILL, SIGKILL or, for some signals, a number. */
function signalName(text: string): string {
  if (/^\d+$/.test(text)) return Object.entries(constants.signals).find(([, number]) => number === Number(text))?.[0] ?? `SIG${text}`
  return text.startsWith('SIG') ? text : `SIG${text}`
}

export function startedAt(start: StartRecord): string {
  return toInstant(start.launchedAtMs + Math.round((start.startedUp - start.launchedUp) * 1000))
}

export function toDurableEnd(start: StartRecord | null, end: EndRecord): DurableEnd {
  const exited = end.kind === 'exit'
  return {
    kind: end.kind,
    exitCode: exited && end.signal === null ? end.code : null,
    signal: end.signal,
    timedOut: end.timedOut,
    stopped: end.stopped,
    startedAt: start === null ? null : startedAt(start),
    finishedAt: start === null || !exited ? null : toInstant(start.launchedAtMs + Math.round((end.finishedUp - start.launchedUp) * 1000)),
    droppedBytes: {output: end.droppedOutput, stderr: end.droppedStderr},
  }
}

/** Of a run that was stopped before it began. */
export const neverStarted: DurableEnd = {
  kind: 'exit', exitCode: null, signal: null, timedOut: false, stopped: true, startedAt: null, finishedAt: null, droppedBytes: {output: 0, stderr: 0},
}
