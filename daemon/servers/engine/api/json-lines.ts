import type {IncomingMessage} from 'node:http'
import {EngineLost, readPieces} from '../ask-engine.js'

const longestText = 16 * 1024 * 1024

/** Values that the engine sends one after another, as it sends them: a line each. */
export async function* jsonLines(response: IncomingMessage): AsyncGenerator<unknown> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const piece of readPieces(response)) {
    rest += decoder.decode(piece, {stream: true})
    if (rest.length > longestText) throw new EngineLost('the engine sent a line without end')
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield parse(line)
  }
  if (rest.trim() !== '') yield parse(rest)
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new EngineLost('what answers does not speak the language of the engine', {cause: error})
  }
}
