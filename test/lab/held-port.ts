import {connect, createServer, type Socket} from 'node:net'

/** A port that passes on to another one of this machine, until somebody holds it. */
export interface HeldPort {
  readonly port: number
  /** From now on it takes connections and stays silent. */
  hold(): void
  /** Passes on again, also what was held. */
  free(): void
  /** How many connections are held. */
  heldCount(): number
  /** Breaks every connection there is. */
  drop(): void
  close(): Promise<void>
}

export async function startHeldPort(target: number, host = '127.0.0.1'): Promise<HeldPort> {
  const open = new Set<Socket>()
  const held = new Set<Socket>()
  let isHeld = false
  const keep = (socket: Socket) => {
    open.add(socket)
    // Whoever breaks off is gone; nobody asks why.
    socket.on('error', () => undefined).once('close', () => {
      open.delete(socket)
      held.delete(socket)
    })
  }
  const passOn = (client: Socket) => {
    const other = connect(target, host)
    keep(other)
    client.pipe(other).pipe(client)
  }
  const server = createServer((client) => {
    keep(client)
    if (isHeld) held.add(client)
    else passOn(client)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  const bound = server.address()
  if (typeof bound !== 'object' || bound === null) throw new Error('no port')
  const drop = () => open.forEach((socket) => socket.resetAndDestroy())
  return {
    port: bound.port,
    hold: () => void (isHeld = true),
    free() {
      isHeld = false
      held.forEach(passOn)
      held.clear()
    },
    heldCount: () => held.size,
    drop,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        drop()
      }),
  }
}
