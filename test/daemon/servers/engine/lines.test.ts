import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {BuildOutput} from '../../../../daemon/servers/engine/build-lines.js'
import type {LogLine} from '../../../../daemon/servers/engine/engine.js'
import {LogFrames, timedLines} from '../../../../daemon/servers/engine/log-lines.js'
import {PullProgress} from '../../../../daemon/servers/engine/pull-lines.js'
import {textLines} from '../../../../daemon/servers/engine/text-lines.js'

/** The bytes in pieces, cut where the sizes say. */
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = []
  let at = 0
  for (let index = 0; at < bytes.length; index++) {
    const size = sizes.length === 0 ? bytes.length : (sizes[index % sizes.length] ?? 1)
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

const sizes = fc.array(fc.integer({min: 1, max: 40}), {maxLength: 8})

describe('lines of text', () => {
  function linesOf(pieces: readonly Buffer[], keepEmpty = false): string[] {
    const lines: string[] = []
    const reader = textLines((line) => lines.push(line), {keepEmpty})
    for (const piece of pieces) reader.take(piece)
    reader.end()
    return lines
  }

  test('are the same however the bytes are cut', () => {
    fc.assert(fc.property(fc.array(fc.stringMatching(/^[a-zé€😀 ]*$/u)), sizes, (lines, cuts) => {
      expect(linesOf(cut(Buffer.from(lines.map((line) => `${line}\n`).join('')), cuts), true)).toEqual(lines)
    }))
  })

  test('end with a newline, a carriage return or both', () => {
    expect(linesOf([Buffer.from('one\r\ntwo\r10%\r20%\r\n\nlast')])).toEqual(['one', 'two', '10%', '20%', 'last'])
    expect(linesOf([Buffer.from('one\r'), Buffer.from('\ntwo\r')])).toEqual(['one', 'two'])
  })

  test('without end do not fill the memory', () => {
    const lines = linesOf(Array.from({length: 64}, () => Buffer.alloc(64 * 1024, 'x')))
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.join('')).toHaveLength(64 * 64 * 1024)
  })
})

describe('lines of logs', () => {
  const at = '2026-01-02T03:04:05.000000006Z'
  const frame = (stream: 'stdout' | 'stderr', text: string) => {
    const body = Buffer.from(`${at} ${text}`)
    const head = Buffer.alloc(8)
    head[0] = stream === 'stderr' ? 2 : 1
    head.writeUInt32BE(body.length, 4)
    return Buffer.concat([head, body])
  }

  test('come out of frames, whole, however the bytes are cut', () => {
    const line = fc.record({stream: fc.constantFrom('stdout' as const, 'stderr' as const), text: fc.stringMatching(/^[a-zé€😀 ]*$/u)})
    fc.assert(fc.property(fc.array(line), sizes, (lines, cuts) => {
      const seen: LogLine[] = []
      const frames = new LogFrames((each) => seen.push(each))
      for (const piece of cut(Buffer.concat(lines.map(({stream, text}) => frame(stream, `${text}\n`))), cuts)) frames.take(piece)
      frames.end()
      expect(seen).toEqual(lines.map((each) => ({...each, at})))
    }))
  })

  test('are joined from their pieces, each stream for itself', () => {
    const seen: LogLine[] = []
    const frames = new LogFrames((each) => seen.push(each))
    frames.take(Buffer.concat([frame('stdout', 'one '), frame('stderr', 'err\n'), frame('stdout', 'two\n'), frame('stdout', 'rest')]))
    frames.end()
    expect(seen.map(({stream, text}) => `${stream} ${text}`)).toEqual(['stderr err', 'stdout one two', 'stdout rest'])
  })

  test('output that is not in frames is refused, not kept', () => {
    expect(() => new LogFrames(() => undefined).take(Buffer.from('plain text that is no frame'))).toThrow(/not in frames/)
  })

  test('of a terminal are told from the times that stand before them', () => {
    const seen: LogLine[] = []
    const lines = timedLines('stdout', (each) => seen.push(each))
    lines.take(Buffer.from(`${at} one\r\n${at} ${'x'.repeat(16_384)}${at} yy\r\n${at} \r\n`))
    lines.end()
    expect(seen.map(({text}) => text)).toEqual(['one', `${'x'.repeat(16_384)}yy`, ''])
  })
})

describe('lines of a build', () => {
  function output(text: string): {build: BuildOutput; lines: string[]} {
    const lines: string[] = []
    const build = new BuildOutput((line) => lines.push(line))
    build.take(text)
    return {build, lines}
  }
  const subject = {serverId: 'srv_1', serverName: 'one', tag: 'shop:1'}

  test('lose the colours of the engine and keep those of the command', () => {
    expect(output('Step 1/1 : RUN x\n\x1b[91merr\n\x1b[0m\x1b[91m\x1b[32mgreen\x1b[0m\n\x1b[0mRemoving\n').lines).toEqual(['Step 1/1 : RUN x', 'err', '\x1b[32mgreen', 'Removing'])
  })

  test('name the step that failed, and the disk where it was the disk', () => {
    expect(output('Step 1/2 : FROM x\nStep 2/2 : RUN make\nboom\n').build.fault(subject, 'returned 2')).toMatchObject({code: 'CONFLICT', message: 'the build failed at step 2/2: RUN make: returned 2', details: {reason: 'build_failed', step: 'step 2/2: RUN make', lastLine: 'boom'}})
    expect(output('Step 1/1 : RUN cp\ncp: write error: No space left on device\nbye\n').build.fault(subject, 'returned 1')).toMatchObject({message: 'the disk of one is full; the build failed at step 1/1: RUN cp', details: {reason: 'disk_full'}})
    expect(output('Step 1/2 : RUN cp\nNo space left on device\nStep 2/2 : RUN x\n').build.fault(subject, undefined)).toMatchObject({details: {reason: 'build_failed'}})
    expect(output('').build.fault(subject, undefined).message).toBe('the build failed: the build ended')
  })
})

describe('lines of a pull', () => {
  function take(...events: readonly unknown[]): {progress: PullProgress; lines: string[]} {
    const lines: string[] = []
    const progress = new PullProgress((line) => lines.push(line))
    for (const event of events) progress.take(event)
    return {progress, lines}
  }

  test('are one a layer, however often the engine tells', () => {
    const downloading = (current: number) => ({id: 'aaa', status: 'Downloading', progressDetail: {current, total: 2_500_000}})
    expect(take(
      {id: '1', status: 'Pulling from shop'}, {id: 'aaa', status: 'Pulling fs layer'}, {id: 'bbb', status: 'Already exists'}, downloading(1), downloading(2), downloading(3),
      {id: 'aaa', status: 'Extracting', progressDetail: {current: 1, total: 9_000_000}}, {id: 'aaa', status: 'Pull complete'}, {id: 'aaa', status: 'Pull complete'}, {status: 'Digest: sha256:1'}, {status: 'Status: Downloaded newer image for shop:1'},
    ).lines).toEqual(['layer bbb is there already', 'layer aaa is complete (2.5 MB)', 'Digest: sha256:1', 'Downloaded newer image for shop:1 (2 layers, 2.5 MB fetched)'])
  })

  test('survive whatever an engine may send', () => {
    const {progress, lines} = take(null, 7, 'text', {status: 5}, {id: [], status: 'Pull complete'})
    expect([lines, progress.failure]).toEqual([[], undefined])
  })

  test('end with what the engine gave up with', () => {
    expect(take({error: 'short', errorDetail: {message: 'the whole story'}}).progress.failure).toBe('the whole story')
  })
})
