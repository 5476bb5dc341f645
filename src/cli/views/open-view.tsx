import {render} from 'ink'
import type {ReactElement} from 'react'
import type {Io} from '../io.js'

const redrawMs = 200

/** A picture that is redrawn as time passes, from whatever it is drawn from. Reads no keys, so that Ctrl-C stays what it is. */
export function openView(io: Io, draw: (isLast: boolean) => ReactElement): {end(): Promise<void>} {
  // Ink asks for the streams of a process, and uses of them what every stream of ours has.
  const streams = {stdout: io.stdout, stderr: io.stderr, stdin: io.stdin} as unknown as {stdout: NodeJS.WriteStream; stderr: NodeJS.WriteStream; stdin: NodeJS.ReadStream}
  const view = render(draw(false), {...streams, exitOnCtrlC: false, patchConsole: false})
  const timer = setInterval(() => view.rerender(draw(false)), redrawMs)
  return {
    async end() {
      clearInterval(timer)
      view.rerender(draw(true))
      // Asked after the end, ink would wait for another one.
      const ended = view.waitUntilExit()
      view.unmount()
      await ended
    },
  }
}
