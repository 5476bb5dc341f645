import {createServer} from 'node:http'
import {untilTrue} from './lab-processes.js'

/** Waits until the page at the address is this text, the end of the line aside. */
export async function untilServes(url: string, text: string): Promise<void> {
  let last = ''
  const isServed = async () => {
    last = await fetch(url, {signal: AbortSignal.timeout(5000)}).then((response) => response.text(), String)
    return last.trim() === text
  }
  await untilTrue(isServed, {what: `${url} to serve ${text}`}).catch((error: unknown) => {
    throw new Error(`${String(error)}; last: ${last}`)
  })
}

/** A page of this machine, at any free port of the address. */
export async function servePage(host: string, text: string): Promise<{readonly url: string; close(): Promise<void>}> {
  const server = createServer((_, response) => response.end(text))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return {
    url: `http://${host}:${address.port}/`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
