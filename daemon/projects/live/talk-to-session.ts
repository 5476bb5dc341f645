import type {Writable} from 'node:stream'
import {streamBytes, type TerminalControl, type TerminalEnd} from '../../../src/contract/terminal.js'
import type {Peer} from '../../http/handlers.js'
import type {EngineSession} from '../../servers/engine/engine.js'

type TerminalPeer = Peer<TerminalControl, TerminalEnd>

export interface SessionOpening {
  readonly tty: boolean
  /** The signal ends the session. */
  readonly open: (signal: AbortSignal) => Promise<EngineSession>
}

// A terminal has no end of input, but a key for it.
const endOfInputKey = Buffer.from([4])

/** Passes bytes on in both directions, each as fast as the other side takes them, until the command ends; answers how. */
export async function talkToSession(peer: TerminalPeer, {tty, open}: SessionOpening): Promise<number | null> {
  const mistake = new AbortController()
  const session = await open(AbortSignal.any([peer.signal, mistake.signal]))
  // Goes on until the connection ends, which is right after this: what it fails with then is of no interest.
  passInput(session, peer, tty).catch((error: unknown) => mistake.abort(error))
  for await (const {stream, bytes} of session.output) await peer.send(tty ? bytes : Buffer.concat([Buffer.from([streamBytes[stream]]), bytes]))
  const exitCode = await session.exitCode()
  await peer.send({type: 'exit', exitCode})
  return exitCode
}

async function passInput({input, resize}: EngineSession, {frames}: TerminalPeer, tty: boolean): Promise<void> {
  for await (const frame of frames) {
    if (Buffer.isBuffer(frame)) await write(input, frame)
    else if (frame.type === 'resize') resize({columns: frame.columns, rows: frame.rows})
    else if (tty) await write(input, endOfInputKey)
    else input.end()
  }
}

// What a command no longer reads is dropped.
function write(input: Writable, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (!input.writable || input.write(bytes)) return resolve()
    const go = () => {
      input.off('drain', go).off('close', go)
      resolve()
    }
    input.on('drain', go).on('close', go)
  })
}
