import type {z} from 'zod'
import type {LogEvent} from '../contract/services.js'
import {toTerminalText} from './run-lines.js'

type LogLine = Pick<Extract<z.output<typeof LogEvent>, {type: 'log'}>, 'message' | 'timestamp'>

/** One line of a container as it is shown, with its line ending. */
export function formatServiceLine({message, timestamp}: LogLine, {timestamps, terminal}: {readonly timestamps: boolean; readonly terminal: boolean}): string {
  const line = message.replace(/\n$/, '')
  return `${timestamps ? `${timestamp} ` : ''}${terminal ? toTerminalText(line) : line}\n`
}
