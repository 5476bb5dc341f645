/** `unknown`: an SSH server does not say why it refuses to forward to a socket. */
export type RefusedBecause = 'missing' | 'not_listening' | 'not_allowed' | 'unknown'

/** A unix socket of a server can not be connected to; nothing was sent. */
export class SocketRefused extends Error {
  override readonly name = 'SocketRefused'
  readonly socketPath: string
  readonly because: RefusedBecause

  constructor(socketPath: string, because: RefusedBecause, cause: unknown) {
    super(`no connection to the socket ${socketPath}`, {cause})
    this.socketPath = socketPath
    this.because = because
  }
}
