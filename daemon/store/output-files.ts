import {createHash} from 'node:crypto'
import {access, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {Fault} from '../../src/contract/faults.js'
import {diskFault, makePrivateFolder, systemCode} from './disk.js'
import {FileOutputLog} from './file-output-log.js'
import type {OutputLog, OutputStore} from './output.js'

/** Stored output as files under `$home/output`. */
export function openOutputFiles(home: string): OutputStore {
  return new OutputFiles(join(home, 'output'))
}

class OutputFiles implements OutputStore {
  readonly #open = new Map<string, Promise<FileOutputLog>>()

  constructor(private readonly folder: string) {}

  open(id: string): Promise<OutputLog> {
    const known = this.#open.get(id)
    if (known !== undefined) return known
    const opening = this.#openFile(id)
    this.#open.set(id, opening)
    opening.catch(() => {
      if (this.#open.get(id) === opening) this.#open.delete(id)
    })
    return opening
  }

  async #openFile(id: string): Promise<FileOutputLog> {
    const path = this.#path(id)
    try {
      await makePrivateFolder(dirname(path))
    } catch (error) {
      throw diskFault(error, 'storing output')
    }
    return FileOutputLog.open(path, true)
  }

  async find(id: string): Promise<OutputLog | undefined> {
    const known = this.#open.get(id)
    if (known !== undefined) return known
    const path = this.#path(id)
    try {
      await access(path)
      return await FileOutputLog.open(path, false)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined
      throw error
    }
  }

  async release(id: string): Promise<void> {
    const known = this.#open.get(id)
    if (known === undefined) return
    this.#open.delete(id)
    // One that did not open has nothing to let go of.
    const log = await known.catch(() => undefined)
    await log?.release()
  }

  async remove(id: string): Promise<void> {
    await this.release(id)
    await rm(this.#path(id), {force: true})
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map(id => this.release(id)))
  }

  /** In 256 folders, as one of a hundred thousand files is slow to list and to clean. */
  #path(id: string): string {
    if (!/^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}$/.test(id)) throw new Fault('INTERNAL', `${JSON.stringify(id)} can not name an output`)
    const shard = createHash('sha256').update(id).digest('hex').slice(0, 2)
    return join(this.folder, shard, `${id}.out`)
  }
}
