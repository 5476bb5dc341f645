import {open, type FileHandle} from 'node:fs/promises'
import {writeAll} from '../../../store/disk.js'

const gatherBytes = 256 * 1024

/** Appends to a new file in large pieces. */
export class FileWriter {
  readonly #handle: FileHandle
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #position = 0

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  static async create(file: string): Promise<FileWriter> {
    return new FileWriter(await open(file, 'wx', 0o600))
  }

  /** How much has been appended. */
  get position(): number {
    return this.#position
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    this.#position += bytes.length
    if (this.#waitingBytes >= gatherBytes) await this.#write()
  }

  /** Resolves when all of it is on disk. */
  async finish(): Promise<void> {
    await this.#write()
    await this.#handle.sync()
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }

  async #write(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting, this.#waitingBytes)
    this.#waiting = []
    this.#waitingBytes = 0
    await writeAll(this.#handle.fd, bytes, null)
  }
}
