import net from 'node:net'
import type {Duplex} from 'node:stream'
import {endWith} from './channel-duplex.js'
import {SocketRefused, type RefusedBecause} from './socket-refused.js'

const reasons: Readonly<Record<string, RefusedBecause>> = {ENOENT: 'missing', ECONNREFUSED: 'not_listening', EACCES: 'not_allowed', EPERM: 'not_allowed'}

/** Connects to a unix socket of this machine; the signal destroys the connection, also later. */
export function connectLocally(socketPath: string, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const socket = net.connect({path: socketPath})
    endWith(socket, signal)
    const fail = (error: Error & {code?: string}) => {
      reject(signal.aborted ? signal.reason : new SocketRefused(socketPath, reasons[error.code ?? ''] ?? 'unknown', error))
    }
    socket.once('error', fail)
    socket.once('connect', () => {
      socket.removeListener('error', fail)
      // Who uses it listens too; until then an error must not end the daemon.
      socket.on('error', () => undefined)
      resolve(socket)
    })
  })
}
