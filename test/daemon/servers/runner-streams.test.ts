import {once} from 'node:events'
import {existsSync} from 'node:fs'
import {mkdtemp, rm} from 'node:fs/promises'
import net from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {Readable, type Duplex} from 'node:stream'
import {text} from 'node:stream/consumers'
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {systemClock} from '../../../daemon/clock.js'
import {CommandEnded} from '../../../daemon/servers/channel-duplex.js'
import {localRunner} from '../../../daemon/servers/local.js'
import type {Runner} from '../../../daemon/servers/runner.js'
import type {ConnectionPool} from '../../../daemon/servers/ssh/connection-pool.js'
import {openSshMissing, startOpenSsh, type OpenSshLab} from '../../lab/openssh.js'
import type {LabServer} from '../../lab/sshd.js'
import {hopTo, labPool, runnerTo, targetOf} from '../../lab/ssh-target.js'
import {ManualClock} from '../manual-clock.js'

const signal = () => AbortSignal.timeout(20_000)

describe.skipIf(openSshMissing() !== null).each(['local', 'over SSH'])('streams of a runner, %s', (kind) => {
  let folder: string
  let lab: OpenSshLab
  let server: LabServer
  let pool: ConnectionPool
  let clock: ManualClock
  let runner: Runner
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'moorage-streams-'))
    clock = new ManualClock(0)
    pool = labPool({clock})
    if (kind === 'local') {
      runner = localRunner({serverId: 'srv_local', clock: systemClock, runsFolder: join(folder, 'runs'), surroundings: {PATH: process.env['PATH']}})
    } else {
      lab = await startOpenSsh()
      server = await lab.server()
      runner = runnerTo(targetOf([hopTo(server, await lab.user(), {method: 'key', privateKey: lab.key})]), pool)
    }
  })
  afterAll(async () => {
    pool.close()
    await lab?.stop()
    await rm(folder, {recursive: true, force: true})
  })

  /** Listens on a socket; what it makes of each connection is up to the test. */
  async function listen(onConnection: (socket: net.Socket) => void): Promise<string> {
    const path = join(folder, `${Math.random()}.sock`)
    const listener = net.createServer({allowHalfOpen: true}, onConnection).listen({path, writableAll: true, readableAll: true})
    await once(listener, 'listening')
    onTestFinished(() => void listener.close())
    return path
  }

  function countedZeros(pieces: number): {input: Readable; produced: () => number} {
    const piece = Buffer.alloc(64 * 1024)
    let produced = 0
    const zeros = function* () {
      for (; produced < pieces; produced++) yield piece
    }
    return {input: Readable.from(zeros(), {objectMode: false, highWaterMark: 64 * 1024}), produced: () => produced * piece.length}
  }

  test('exec feeds a stream to the command, whole', async () => {
    const {input} = countedZeros(480)
    const {stdout} = await runner.exec(['wc', '-c'], {input, signal: signal()})
    expect(Number(stdout)).toBe(480 * 65_536)
  })

  test('exec reads a stream no faster than the command does, and lets go of what is left', async () => {
    const {input, produced} = countedZeros(10_000)
    const {stdout} = await runner.exec(['sh', '-c', 'head -c 100000 | wc -c; sleep 0.5'], {input, signal: signal()})
    expect(Number(stdout)).toBe(100_000)
    expect(produced()).toBeLessThan(8_000_000)
    expect(input.destroyed).toBe(true)
  })

  test('exec ends the command where the stream breaks off, so that it does not take the part for the whole', async () => {
    const marker = join(folder, 'whole')
    const input = Readable.from((function* () {
      yield Buffer.from('some')
      throw new Error('the upload was cut')
    })())
    await expect(runner.exec(['sh', '-c', `cat >/dev/null && echo >${marker}`], {input, signal: signal()})).rejects.toThrow('the upload was cut')
    expect(existsSync(marker)).toBe(false)
  })

  test('exec gives a stream back destroyed when its signal fires', async () => {
    const stop = new AbortController()
    const input = new Readable({read: () => undefined})
    const running = runner.exec(['sh', '-c', 'echo up; cat'], {input, signal: stop.signal, onOutput: () => stop.abort(new Error('enough'))})
    await expect(running).rejects.toThrow('enough')
    expect(input.destroyed).toBe(true)
  })

  test('open talks with a command until either side is done', async () => {
    const cat = await runner.open(['sh', '-c', 'echo "$WORD"; cat; pwd'], {env: {WORD: 'hello'}, cwd: '/usr', signal: signal()})
    cat.end('there\n')
    expect(await text(cat)).toBe('hello\nthere\n/usr\n')
  })

  test('open carries much in both directions at once', async () => {
    const cat = await runner.open(['cat'], {signal: signal()})
    const {input} = countedZeros(160)
    input.pipe(cat)
    let bytes = 0
    for await (const piece of cat) bytes += (piece as Buffer).length
    expect(bytes).toBe(160 * 65_536)
  })

  test('open tells a command that failed from one that is done, with what it said', async () => {
    const failing = await runner.open(['sh', '-c', 'echo part; echo "no such thing" >&2; exit 4'], {signal: signal()})
    const error: unknown = await text(failing).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(CommandEnded)
    expect(error).toMatchObject({end: {exitCode: 4}, stderr: 'no such thing'})
  })

  test('a stream that is destroyed, by its signal too, ends the input of the command', async () => {
    const marker = join(folder, 'done')
    const stop = new AbortController()
    const talk = await runner.open(['sh', '-c', `echo up; cat; echo >${marker}`], {signal: stop.signal})
    await once(talk, 'readable')
    const failed = once(talk, 'error')
    stop.abort(new Error('enough'))
    expect(await failed).toMatchObject([{message: 'enough'}])
    await expect.poll(() => existsSync(marker)).toBe(true)
  })

  test('connect reaches a socket, and half of an answer is still an answer', async () => {
    const path = await listen((socket) => {
      socket.once('data', (asked) => socket.end(`you said ${asked.toString()}`))
    })
    const connection = await runner.connect(path, {signal: signal()})
    connection.write('hello')
    expect(await text(connection)).toBe('you said hello')
    await expect.poll(() => connection.destroyed).toBe(true)
  })

  test('connect says that nothing is there', async () => {
    await expect(runner.connect(join(folder, 'nothing.sock'), {signal: signal()})).rejects.toMatchObject({name: 'SocketRefused', because: kind === 'local' ? 'missing' : 'unknown'})
  })

  test('connect gives up with its signal, before and after', async () => {
    const path = await listen(() => undefined)
    await expect(runner.connect(path, {signal: AbortSignal.abort(new Error('too late'))})).rejects.toThrow('too late')
    const stop = new AbortController()
    const connection = await runner.connect(path, {signal: stop.signal})
    const failed = once(connection, 'error')
    stop.abort(new Error('enough'))
    expect(await failed).toMatchObject([{message: 'enough'}])
    expect(connection.destroyed).toBe(true)
  })

  if (kind === 'local') return

  test('connect reads all of an answer that comes while more is being sent than anyone takes', async () => {
    const answer = Buffer.alloc(300_000, 'a')
    const path = await listen((socket) => {
      socket.on('error', () => undefined)
      socket.write(answer, () => socket.destroySoon())
    })
    const connection = await runner.connect(path, {signal: signal()})
    const {input} = countedZeros(400)
    input.pipe(connection)
    connection.on('error', () => undefined)
    let bytes = 0
    connection.on('data', (piece: Buffer) => (bytes += piece.length))
    await once(connection, 'close')
    expect(bytes).toBe(answer.length)
  })

  test('a dropped connection is told as one, not as an end', async () => {
    const path = await listen((socket) => void socket.write('up'))
    const streams = [await runner.connect(path, {signal: signal()}), await runner.open(['sh', '-c', 'echo up; cat'], {signal: signal()})]
    const failures = streams.map((stream: Duplex) => once(stream, 'error').catch((error: unknown) => [error]))
    await Promise.all(streams.map((stream) => once(stream, 'data')))
    await server.dropConnections()
    for (const failure of failures) expect(await failure).toMatchObject([{code: 'SERVER_UNREACHABLE', details: {code: 'unreachable'}}])
  })

  test('nothing of the above still holds a connection', async () => {
    await runner.exec(['true'], {signal: signal()})
    await expect.poll(() => {
      clock.advance(6 * 60_000)
      return pool.connectionCount('srv_lab')
    }, {timeout: 5000}).toBe(0)
  })
})
