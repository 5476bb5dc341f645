import type {Duplex} from 'node:stream'
import type {Client, ClientChannel} from 'ssh2'
import {ChannelDuplex, endWith} from '../channel-duplex.js'
import {SocketRefused} from '../socket-refused.js'
import {ChannelRefused, dropped, requestChannel, type ChannelSubject} from './open-channel.js'

export interface Forward {
  readonly opened: Duplex
  /** Settles when the channel is closed on both sides. */
  readonly over: Promise<void>
}

// RFC 4254 5.1. sshd answers CONNECT_FAILED both where nothing listens and where it may not forward.
const resourceShortage = 4

/** Connects to a unix socket of the server through an open connection. */
export function openForward(client: Client, socketPath: string, subject: ChannelSubject, signal: AbortSignal): Promise<Forward> {
  return requestChannel({
    client, subject, signal,
    ask: (answer) => void client.openssh_forwardOutStreamLocal(socketPath, answer),
    take: (channel) => toForward(client, channel, subject, signal),
    explain: (error) => toRefusal(error, socketPath),
  })
}

function toRefusal(error: Error, socketPath: string): Error {
  if ('reason' in error && error.reason === resourceShortage) return new ChannelRefused(error.message, {cause: error})
  return new SocketRefused(socketPath, 'unknown', error)
}

function toForward(client: Client, channel: ClientChannel, subject: ChannelSubject, signal: AbortSignal): Forward {
  let lost = false
  const onDrop = () => (lost = true)
  client.once('close', onDrop).once('end', onDrop)
  const over = new Promise<void>((resolve) => {
    channel.once('close', () => {
      client.removeListener('close', onDrop)
      client.removeListener('end', onDrop)
      resolve()
    })
  })
  const opened = new ChannelDuplex({
    input: channel,
    output: channel,
    async findFailure() {
      // Of a connection that drops, the channels end a moment before it says so itself.
      await new Promise(setImmediate)
      if (lost) throw dropped(subject)
    },
    close() {
      channel.close()
      // What still arrives must not hold up the closing.
      channel.resume()
    },
  })
  endWith(opened, signal)
  return {opened, over}
}
