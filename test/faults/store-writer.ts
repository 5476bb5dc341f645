// Writes as fast as it can and says which writes were answered; bundled and run as a process of its own, to be killed.
import {writeSync} from 'node:fs'
import {z} from 'zod'
import {systemClock} from '../../daemon/clock.js'
import {defineCollection} from '../../daemon/store/collection.js'
import {openFileStore} from '../../daemon/store/file-store.js'

export const Pair = z.object({id: z.string(), turn: z.string(), text: z.string()})
export const Lefts = defineCollection({name: 'lefts', version: 1, schema: Pair, indexes: {turn: {fields: ['turn']}}})
export const Rights = defineCollection({name: 'rights', version: 1, schema: Pair, indexes: {turn: {fields: ['turn']}}})

const [, , mode, home, turn] = process.argv

export async function write(folder: string, name: string): Promise<never> {
  const log = {info: () => undefined, warn: () => undefined, error: () => undefined}
  // Small segments, so that many kills fall into a rotation or a snapshot.
  const {store} = await openFileStore({home: folder, collections: [Lefts, Rights], clock: systemClock, log, limits: {segmentBytes: 40_000}})
  const writer = async (number: number): Promise<never> => {
    for (let count = 0; ; count++) {
      const id = `${name}-${number}-${count}`
      await store.transaction(async transaction => {
        await transaction.insert(Lefts, {id, turn: name, text: 'x'.repeat(count % 300)})
        await transaction.insert(Rights, {id, turn: name, text: id})
        // Keeps the store small over hundreds of turns.
        if (count >= 20) await Promise.all([Lefts, Rights].map(each => transaction.delete(each, `${name}-${number}-${count - 20}`)))
      })
      writeSync(1, `${number} ${count}\n`)
    }
  }
  return Promise.race(Array.from({length: 8}, (_, number) => writer(number)))
}

if (mode === 'write' && home !== undefined && turn !== undefined) await write(home, turn)
