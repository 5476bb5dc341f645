/** One event of a stream (HTML Living Standard, 9.2.6). */
export interface ServerEvent {
  readonly event: string
  readonly data: string
  /** The last id seen so far; empty before the first. */
  readonly lastEventId: string
}

/** Turns bytes into events, however they are cut. An event that the stream ends within is dropped, as the standard says. */
export class EventParser {
  readonly #decoder = new TextDecoder()
  #rest = ''
  #skipLineFeed = false
  #data: string[] = []
  #event = ''
  #lastEventId = ''
  #retryMs: number | undefined

  /** How long the server asks to wait before the next connection. */
  get retryMs(): number | undefined {
    return this.#retryMs
  }

  push(bytes: Uint8Array): ServerEvent[] {
    const events: ServerEvent[] = []
    let text = this.#decoder.decode(bytes, {stream: true})
    if (text === '') return events
    // A CR at the end of the piece before ended its line already; this LF belongs to it.
    if (this.#skipLineFeed && text.startsWith('\n')) text = text.slice(1)
    this.#skipLineFeed = text.endsWith('\r')
    const lines = (this.#rest + text).split(/\r\n|\r|\n/)
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      const event = this.#take(line)
      if (event !== undefined) events.push(event)
    }
    return events
  }

  #take(line: string): ServerEvent | undefined {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    if (colon === 0) return undefined
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') this.#data.push(value)
    else if (field === 'event') this.#event = value
    else if (field === 'id' && !value.includes('\0')) this.#lastEventId = value
    else if (field === 'retry' && /^\d+$/.test(value)) this.#retryMs = Number(value)
    return undefined
  }

  #dispatch(): ServerEvent | undefined {
    const event = this.#event
    const data = this.#data
    this.#event = ''
    this.#data = []
    if (data.length === 0) return undefined
    return {event: event === '' ? 'message' : event, data: data.join('\n'), lastEventId: this.#lastEventId}
  }
}
