import {byTurns, type Measurement, type Row} from '../measure.js'
import {requestsPerSecond} from '../load.js'
import {end, inFolder, serve, startPart, type Served} from '../processes.js'

const rounds = 5
const shape = {method: 'GET', connections: 32, durationMs: 2000}
// node:http writes these itself.
const ownHeaders = ['connection', 'keep-alive', 'date', 'transfer-encoding']

async function compare(daemon: Served, path: string, atLeast: number): Promise<Measurement> {
  const headers = {authorization: `Bearer ${daemon.token}`}
  const sample = await fetch(daemon.url + path, {headers})
  const answer = {
    status: sample.status,
    headers: Object.fromEntries([...sample.headers].filter(([name]) => !ownHeaders.includes(name))),
    body: await sample.text(),
  }
  const peer = await startPart('bare-server.mjs', answer)
  try {
    const peerUrl = `http://127.0.0.1:${String(peer.ready['port'])}`
    const {ours, bare} = await byTurns(rounds, {
      ours: () => requestsPerSecond({...shape, url: daemon.url, path, headers}),
      bare: () => requestsPerSecond({...shape, url: peerUrl, path, headers}),
    })
    return {row: `GET ${path}, to bare node:http`, ours, peer: bare, unit: 'requests/s', figure: ours / bare, required: {atLeast}}
  } finally {
    await end(peer.child)
  }
}

export const requests: Row = {
  name: 'requests',
  measure: () =>
    inFolder(async (home) => {
      const daemon = await serve(home)
      try {
        return [await compare(daemon, '/api/health', 0.6), await compare(daemon, '/api/tokens', 0.35)]
      } finally {
        await daemon.stop()
      }
    }),
}
