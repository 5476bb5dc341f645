/** One event of a stream as a client of other platforms of this kind reads it. */
export interface ReadEvent {
  readonly event: string
  // Tests look into whatever came.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads events freely and fails where they are not as it says
  readonly data: any
}

/** How a watched deployment ended for it. */
export interface Watched {
  readonly output: string
  readonly success: boolean | undefined
  readonly cancelled: boolean
  readonly ended: string | undefined
  /** The last status of each service. */
  readonly services: Readonly<Record<string, string>>
  readonly events: readonly string[]
}

export class ClientError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(message)
  }
}

/**
 * A client that knows nothing of ours: it sends Content-Type JSON with every request, a body or not, names no organization, never retries, unwraps
 * what each route is known to answer, and takes any 2xx for success.
 */
export class OlderClient {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(url: string, token: string) {
    this.#url = url
    this.#headers = {'authorization': `Bearer ${token}`, 'content-type': 'application/json', 'user-agent': 'moorage-cli/0.9.0'}
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads answers freely and fails where they are not as it says
  async call(method: string, path: string, body?: object): Promise<any> {
    const response = await fetch(`${this.#url}/api${path}`, {method, headers: this.#headers, ...(body !== undefined && {body: JSON.stringify(body)})})
    const answer = response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>)
    if (response.ok) return answer
    const {error, message} = answer
    throw new ClientError(response.status, typeof error === 'string' ? error : typeof message === 'string' ? message : `API error: ${response.status}`, answer)
  }

  /** A relative upload address goes to the API with the credential, an absolute one anywhere with the given headers alone. */
  async upload({url, method = 'POST', headers = {}}: {readonly url: string; readonly method?: string; readonly headers?: Readonly<Record<string, string>>}, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
    const isAbsolute = /^https?:/.test(url)
    const all = new Headers(isAbsolute ? {} : this.#headers)
    for (const [name, value] of Object.entries(headers)) all.set(name, value)
    const response = await fetch(isAbsolute ? url : `${this.#url}/api/${url}`, {method, headers: all, body: bytes})
    if (!response.ok) throw new ClientError(response.status, await response.text(), {})
    return response.status
  }

  /** Line by line; ids and comments are read and not used. */
  async *events(method: string, path: string): AsyncGenerator<ReadEvent> {
    const response = await fetch(`${this.#url}/api${path}`, {method, headers: {...this.#headers, accept: 'text/event-stream'}})
    if (!response.ok || response.body === null) throw new ClientError(response.status, await response.text(), {})
    const decoder = new TextDecoder()
    let [rest, event, data] = ['', 'message', [] as string[]]
    for await (const piece of response.body) {
      const lines = (rest + decoder.decode(piece, {stream: true})).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines.map((text) => text.replace(/\r$/, ''))) {
        const [, field, value = ''] = /^([^:]+):? ?(.*)$/.exec(line) ?? []
        if (field === 'event') event = value
        else if (field === 'data') data.push(value)
        else if (line === '' && data.length > 0) {
          yield {event, data: JSON.parse(data.join('\n'))}
          ;[event, data] = ['message', []]
        }
      }
    }
  }

  async watch(id: string): Promise<Watched> {
    const services: Record<string, string> = {}
    const seen: string[] = []
    let watched: Omit<Watched, 'services' | 'events'> = {output: '', success: undefined, cancelled: false, ended: undefined}
    for await (const {event, data} of this.events('GET', `/deployments/${id}/stream`)) {
      if (seen.at(-1) !== event) seen.push(event)
      if (event === 'log') watched = {...watched, output: watched.output + String(data.message)}
      else if (event === 'service-status') services[String(data.serviceName)] = data.status
      else if (event === 'complete') watched = {...watched, success: data.success}
      else if (event === 'cancelled') watched = {...watched, cancelled: true}
      else if (event === 'error') throw new ClientError(0, data.error, {})
      else if (event === 'end') watched = {...watched, ended: data.status}
    }
    return {...watched, services, events: seen}
  }
}
