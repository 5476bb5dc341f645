import {z} from 'zod'

const cells = z.coerce.number().int().min(1).max(1000)
const word = z.string().max(8000)

/** What a terminal is opened with. */
export const terminalQuery = {
  command: z.string().min(1).max(8000).optional().describe('shell text; without it and without argv it is bash where the container has it, else sh'),
  argv: z.union([z.array(word).min(1).max(200), word.min(1)]).optional().describe('exact words instead of shell text: one parameter a word'),
  cwd: z.string().min(1).max(1000).optional().describe('folder to run in'),
  user: z.string().max(200).regex(/^[\w.-]+(:[\w.-]+)?$/, 'a name or number, with :GROUP if wanted').optional().describe('whom to run as; that of the container unless given'),
  tty: z.stringbool().default(true).describe('false: no terminal, and both streams apart'),
  columns: cells.default(80).describe('width of the window'),
  rows: cells.default(24).describe('its height'),
}

/** Text frames of the caller. */
export const TerminalControl = z.discriminatedUnion('type', [
  z.object({type: z.literal('resize'), columns: z.int().min(1).max(1000), rows: z.int().min(1).max(1000)}).describe('the window has another size now'),
  z.object({type: z.literal('input-end')}).describe('nothing more is typed: the command meets the end of its input'),
])
export type TerminalControl = z.output<typeof TerminalControl>

/** Text frames of the daemon; each is the last one. */
export const TerminalEnd = z.discriminatedUnion('type', [
  z.object({type: z.literal('exit'), exitCode: z.int().nullable().describe('null where the engine does not know it')}).describe('the command has ended'),
  z.object({type: z.literal('error'), code: z.string().describe('as in the answers to requests'), error: z.string().describe('one line for people')}).describe('the terminal ended before the command did, and ended it'),
])
export type TerminalEnd = z.output<typeof TerminalEnd>

/** First byte of the binary frames of the daemon where there is no terminal. */
export const streamBytes = {stdout: 1, stderr: 2} as const

export const terminalFrames =
  'A WebSocket. Binary frames carry bytes: those of the caller are typed, those of the daemon are shown. Without a terminal (`tty=false`) each binary frame of the daemon begins with one byte that names ' +
  'its stream: 1 is stdout, 2 is stderr. Text frames are JSON: `{"type":"resize","columns":…,"rows":…}` and `{"type":"input-end"}` from the caller, `{"type":"exit","exitCode":…}` or ' +
  '`{"type":"error","code":…,"error":…}` as the last one from the daemon. Whoever stops reading makes the command wait. The command ends when the connection does, when the token is revoked or expires, and when ' +
  'the daemon stops. Refusals are ordinary answers in the place of the upgrade; an `Origin` other than that of the daemon is refused. A frame of the caller holds at most 1 MiB.'
