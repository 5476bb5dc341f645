import {readFile, rename, rm, writeFile} from 'node:fs/promises'
import path from 'node:path'

/** Where a running daemon is to be found; commands on this machine read it. */
export interface DaemonAddress {
  readonly pid: number
  readonly url: string
  readonly version: string
  readonly startedAt: string
}

const fileName = 'daemon.json'

export async function writeAddress(home: string, address: DaemonAddress): Promise<void> {
  const file = path.join(home, fileName)
  await writeFile(`${file}.new`, `${JSON.stringify(address, null, 2)}\n`, {mode: 0o600})
  await rename(`${file}.new`, file)
}

/** Removes the file, unless another daemon has written its own by now. */
export async function removeAddress(home: string, pid: number): Promise<void> {
  const file = path.join(home, fileName)
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text.includes(`"pid": ${pid},`)) await rm(file, {force: true})
}
