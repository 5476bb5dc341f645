import {Readable, type Writable} from 'node:stream'

export type CommandInput = string | Buffer | Readable

/**
 * Writes what a command reads, a stream only as fast as the command takes it. `failed` is told where the stream breaks off: the command must
 * then not take it for the whole. The answer lets go; a stream that the command did not want to the end is destroyed.
 */
export function feed(stdin: Writable, input: CommandInput, failed: (error: Error) => void): () => void {
  // A command that reads no input closes it early; that is no failure of ours.
  stdin.on('error', () => undefined)
  if (!(input instanceof Readable)) {
    stdin.end(input)
    return () => undefined
  }
  let over = false
  const onError = (error: Error) => {
    if (!over) failed(error)
  }
  input.on('error', onError)
  input.once('close', () => {
    if (!input.readableEnded) onError(new Error('the input broke off'))
  })
  if (input.destroyed && !input.readableEnded) onError(input.errored ?? new Error('the input broke off'))
  else input.pipe(stdin)
  return () => {
    over = true
    input.unpipe(stdin)
    input.destroy()
  }
}
