import {chmod, readFile, rename, rm, writeFile} from 'node:fs/promises'
import path from 'node:path'

/** Where a running daemon is to be found; commands on this machine read it. */
export interface DaemonAddress {
  readonly pid: number
  readonly url: string
  readonly version: string
  readonly startedAt: string
}

const fileName = 'daemon.json'

/** For the daemon of a whole machine `everybody` may find it: the address is no secret, and everything else in the home stays its owner's alone. */
export async function writeAddress(home: string, address: DaemonAddress, everybody: boolean): Promise<void> {
  const file = path.join(home, fileName)
  await writeFile(`${file}.new`, `${JSON.stringify(address, null, 2)}\n`, {mode: 0o600})
  await chmod(`${file}.new`, everybody ? 0o644 : 0o600)
  await chmod(home, everybody ? 0o711 : 0o700)
  await rename(`${file}.new`, file)
}

/** Removes the file, unless another daemon has written its own by now. */
export async function removeAddress(home: string, pid: number): Promise<void> {
  const file = path.join(home, fileName)
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text.includes(`"pid": ${pid},`)) await rm(file, {force: true})
}
