import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {join} from 'node:path'
import {build} from 'esbuild'
import {expect, test} from 'vitest'
import {openStore, withHome} from '../daemon/store/store-fixture.js'
import {Lefts, Rights} from './store-writer.js'

const kills = 200
const kept = 20

async function bundleWriter(folder: string): Promise<string> {
  const outfile = join(folder, 'writer.mjs')
  await build({entryPoints: [join(import.meta.dirname, 'store-writer.ts')], bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile, logLevel: 'error'})
  return outfile
}

/** Lets a process write and kills it after so many answers and so many microseconds more; answers what it acknowledged. */
async function writeAndKill(script: string, home: string, turn: string, answers: number): Promise<Map<number, number>> {
  const child = spawn(process.execPath, [script, 'write', home, turn], {stdio: ['ignore', 'pipe', 'inherit']})
  const exit = once(child, 'exit')
  let text = ''
  let lines = 0
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes.toString()
    lines += bytes.filter(byte => byte === 0x0a).length
    if (lines >= answers) child.kill('SIGKILL')
  })
  await exit
  if (!child.stdout.readableEnded) await once(child.stdout, 'end').catch(() => undefined)
  const acknowledged = new Map<number, number>()
  for (const line of text.split('\n').slice(0, -1)) {
    const [writer, count] = line.split(' ').map(Number)
    if (writer !== undefined && count !== undefined) acknowledged.set(writer, count)
  }
  return acknowledged
}

test('a store that was killed at two hundred moments lost no write that it had answered, and has none by half', {timeout: 600_000}, async () => {
  await withHome(async home => {
    const script = await bundleWriter(home)
    const data = join(home, 'data')
    let acknowledged = 0
    for (let kill = 0; kill < kills; kill++) {
      const turn = `t${kill}`
      const seen = await writeAndKill(script, data, turn, 1 + Math.floor(Math.random() * 400))
      const {store} = await openStore(data, [Lefts, Rights])
      const lefts = new Set((await store.find(Lefts, 'turn', [turn])).map(({id}) => id))
      const rights = new Set((await store.find(Rights, 'turn', [turn])).map(({id}) => id))
      expect(lefts).toEqual(rights)
      for (const [writer, last] of seen) {
        acknowledged++
        // The last acknowledged, those before it that were not deleted since, and at most one more that nobody was told of.
        const own = [...lefts].filter(id => id.startsWith(`${turn}-${writer}-`)).map(id => Number(id.split('-')[2])).sort((left, right) => left - right)
        const newest = own.at(-1) ?? -1
        expect(newest === last || newest === last + 1, `${turn} writer ${writer}: ${last} answered, ${newest} stored`).toBe(true)
        expect(own).toEqual(Array.from({length: Math.min(newest + 1, kept)}, (_, index) => newest - Math.min(newest, kept - 1) + index))
      }
      await store.transaction(async transaction => {
        for (const id of lefts) await Promise.all([transaction.delete(Lefts, id), transaction.delete(Rights, id)])
      })
      await store.close()
    }
    expect(acknowledged).toBeGreaterThan(kills)
  })
})
