import {EngineLost} from './ask-engine.js'

const longestFrame = 16 * 1024 * 1024

/** Takes apart what the engine sends of both streams of a container: eight bytes that say stream and length, then the bytes. */
export function outputFrames(onFrame: (stream: 'stdout' | 'stderr', frame: Buffer) => void): (piece: Buffer) => void {
  let left: Buffer = Buffer.alloc(0)
  return (piece) => {
    let rest = left.length === 0 ? piece : Buffer.concat([left, piece])
    while (rest.length >= 8) {
      const length = rest.readUInt32BE(4)
      if (length > longestFrame) throw new EngineLost('the engine sent output that is not in frames')
      if (rest.length < 8 + length) break
      onFrame(rest[0] === 2 ? 'stderr' : 'stdout', rest.subarray(8, 8 + length))
      rest = rest.subarray(8 + length)
    }
    left = rest
  }
}
