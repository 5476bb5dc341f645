import {StringDecoder} from 'node:string_decoder'

const longestLine = 256 * 1024

/** Makes whole lines of pieces of output. What overwrites its line with a carriage return gives a line each time; empty ones are left away. */
export function textLines(onLine: (line: string) => void, {keepEmpty = false}: {readonly keepEmpty?: boolean} = {}): {take(piece: Buffer | string): void; end(): void} {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const give = (line: string) => {
    if (line !== '' || keepEmpty) onLine(line)
  }
  const takeText = (text: string) => {
    rest += text
    const lines = rest.split(/\r\n|\n|\r(?!\n|$)/)
    rest = lines.pop() ?? ''
    lines.forEach(give)
    // A line without end must not fill the memory.
    for (; rest.length > longestLine; rest = rest.slice(longestLine)) give(rest.slice(0, longestLine))
  }
  return {
    take: (piece) => takeText(typeof piece === 'string' ? piece : decoder.write(piece)),
    end() {
      takeText(decoder.end())
      const last = rest.replace(/\r$/, '')
      rest = ''
      if (last !== '') give(last)
    },
  }
}
