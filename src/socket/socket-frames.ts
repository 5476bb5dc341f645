import type {WebSocket} from 'ws'

/** What waits in memory each way before the other side has to wait. */
const mostWaitingBytes = 512 * 1024
/** What a socket that dropped without a close says of itself (RFC 6455, 7.1.5). */
const abnormalClosure = 1006

/** Text as strings, anything else as bytes, no faster than they are taken. Listens at once; ends with the close of the other side, and fails with the signal or where the connection drops. */
export function readFrames(socket: WebSocket, signal: AbortSignal | undefined): AsyncIterable<Buffer | string> {
  const waiting: (Buffer | string)[] = []
  let waitingBytes = 0
  let closeCode: number | undefined
  let wake: () => void = () => undefined
  const changed = () => wake()
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    waiting.push(isBinary ? data : data.toString('utf8'))
    waitingBytes += data.length
    if (waitingBytes >= mostWaitingBytes) socket.pause()
    changed()
  })
  socket.once('close', (code) => {
    closeCode = code
    changed()
  })
  signal?.addEventListener('abort', changed, {once: true})
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        signal?.throwIfAborted()
        const frame = waiting.shift()
        if (frame !== undefined) yield frame
        else if (closeCode === abnormalClosure) throw new Error('the connection dropped')
        else if (closeCode !== undefined) return
        else {
          waitingBytes = 0
          if (socket.isPaused) socket.resume()
          await new Promise<void>((resolve) => (wake = resolve))
        }
      }
    },
  }
}

/** Resolves once there is room for more: a sender waits for the bytes of its last frame that are not yet with the system. Where the socket has closed it rejects with the signal, which says so; without one the bytes go nowhere. */
export function sendBytes(socket: WebSocket, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal?.reason)
    signal?.addEventListener('abort', onAbort, {once: true})
    // Told with null, too, where all went well.
    const go = (error?: Error | null) => {
      if (error instanceof Error && signal !== undefined) return
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }
    socket.send(bytes, {binary: true}, go)
    if (socket.readyState === socket.OPEN && socket.bufferedAmount < mostWaitingBytes) go()
  })
}
