import {WebSocket} from 'undici'

export interface OpenTerminal {
  /** With a terminal: everything shown so far. */
  readonly shown: string
  /** Without one. */
  readonly stdout: Buffer
  readonly stderr: Buffer
  type(bytes: string | Buffer): void
  tell(control: object): void
  until(pattern: RegExp): Promise<void>
  /** The last text frame, once the socket is closed. */
  end(): Promise<unknown>
  drop(): void
}

const patienceMs = 20_000

/** A terminal as another program than ours would open it. */
export async function openTerminal(url: string, token: string): Promise<OpenTerminal> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), {headers: {authorization: `Bearer ${token}`}})
  socket.binaryType = 'arraybuffer'
  const frames: Buffer[] = []
  let last: unknown
  let heard: () => void = () => undefined
  const closed = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve()))
  socket.addEventListener('message', ({data}) => {
    if (typeof data === 'string') last = JSON.parse(data)
    else frames.push(Buffer.from(data as ArrayBuffer))
    heard()
  })
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error(`no terminal at ${url}`)))
  })
  const shown = () => Buffer.concat(frames).toString('utf8')
  const streamOf = (byte: number) => Buffer.concat(frames.filter((frame) => frame[0] === byte).map((frame) => frame.subarray(1)))
  return {
    get shown() {
      return shown()
    },
    get stdout() {
      return streamOf(1)
    },
    get stderr() {
      return streamOf(2)
    },
    type(bytes) {
      const all = Buffer.from(bytes)
      for (let at = 0; at < all.length; at += 65_536) socket.send(new Uint8Array(all.subarray(at, at + 65_536)))
    },
    tell: (control) => socket.send(JSON.stringify(control)),
    until: (pattern) => new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${String(pattern)} was not shown: ${shown()}`)), patienceMs)
      heard = () => {
        if (!pattern.test(shown())) return
        clearTimeout(timer)
        resolve()
      }
      heard()
    }),
    async end() {
      await closed
      return last
    },
    drop: () => socket.close(),
  }
}
