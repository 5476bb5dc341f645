import type {RunEvent} from '../contract/run.js'

export interface LineView {
  /** Names of the servers, where lines of several are mixed. */
  readonly serverNames: ReadonlyMap<string, string>
  readonly timestamps: boolean
  /** Someone looks at it: nothing in it may move the cursor. */
  readonly terminal: boolean
}

/** One line of output as it is shown. */
export function formatLogLine(event: Extract<RunEvent, {type: 'log'}>, view: LineView): string {
  const time = view.timestamps ? `${event.at} ` : ''
  const name = event.serverId === null ? undefined : view.serverNames.get(event.serverId)
  const prefix = name === undefined ? '' : `[${name}] `
  return `${time}${prefix}${view.terminal ? toTerminalText(event.line) : event.line}`
}

/** Keeps colour and tabs; everything else that steers a terminal is taken out. */
export function toTerminalText(line: string): string {
  return line
    .replace(/\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?/g, '')
    .replace(/\u001B\[(?![\d;]*m)[\d;?]*[ -/]*[@-~]?/g, '')
    .replace(/\u001B(?!\[[\d;]*m)[ -~]?/g, '')
    .replace(/[\0-\x08\x0A-\x1A\x1C-\x1F\x7F-\x9F]/g, '')
}
