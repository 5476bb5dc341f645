import {request as httpRequest, type ClientRequest, type IncomingMessage} from 'node:http'
import {Readable} from 'node:stream'
import {flattenHeaders, type TransportRequest, type TransportResponse} from './transport.js'

/** One request over its own connection: a command makes few, and none is kept open when it ends. */
export function httpTransport({url, method, headers, body, signal}: TransportRequest): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const length = typeof body === 'string' ? {'content-length': String(Buffer.byteLength(body))} : {}
    const request = httpRequest(url, {method, headers: {...headers, ...length}, agent: false, signal})
    request.on('response', (response: IncomingMessage) => {
      resolve({
        status: response.statusCode ?? 0,
        headers: flattenHeaders(response.headers),
        body: response,
        discard: () => response.destroy(),
      })
    })
    request.on('error', reject)
    if (typeof body === 'object') sendBytes(request, body)
    else request.end(body)
  })
}

function sendBytes(request: ClientRequest, body: AsyncIterable<Uint8Array>): void {
  const source = Readable.from(body, {objectMode: false})
  source.on('error', (error) => request.destroy(error)).pipe(request)
  request.once('close', () => source.destroy())
  request.once('response', (response: IncomingMessage) => {
    if (request.writableEnded) return
    // An answer that does not wait for the rest is a refusal: nothing more is sent.
    source.unpipe(request).destroy()
    response.once('end', () => request.destroy())
  })
}
