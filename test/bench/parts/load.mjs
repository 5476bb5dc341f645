// The load: so many connections, each asking again as soon as it has its answer, for so long. In its own process, so that it costs nobody else.
import {Agent, request} from 'node:http'

const {url, method, path, headers, body, connections, durationMs} = JSON.parse(process.argv[2])
const agent = new Agent({keepAlive: true, maxSockets: connections, scheduling: 'fifo'})
const {hostname, port} = new URL(url)
const marker = `${process.pid}-${Date.now()}`
let sent = 0
let done = 0
let refused = 0
let firstRefusal = ''

function once() {
  return new Promise((resolve, reject) => {
    const number = sent++
    // Each body names something new, so that no write is refused as one that is there already.
    const payload = body === undefined ? undefined : body.replace('%N', `${marker}-${number}`)
    const extra = payload === undefined ? {} : {'content-length': Buffer.byteLength(payload)}
    const ask = request({agent, hostname, port, method, path, headers: {...headers, ...extra}}, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        if (response.statusCode >= 400) text += chunk
      })
      response.on('end', () => {
        if (response.statusCode >= 400) {
          refused++
          firstRefusal ||= `${response.statusCode} ${text}`
        } else done++
        resolve()
      })
    })
    ask.once('error', reject)
    ask.end(payload)
  })
}

async function keepAsking(until) {
  while (performance.now() < until) await once()
}

await Promise.all(Array.from({length: connections}, () => keepAsking(performance.now() + Math.min(500, durationMs / 4))))
done = 0
const start = performance.now()
await Promise.all(Array.from({length: connections}, () => keepAsking(start + durationMs)))
const seconds = (performance.now() - start) / 1000
agent.destroy()
console.log(JSON.stringify({perSecond: done / seconds, refused, firstRefusal}))
