import {request as httpRequest, type IncomingMessage} from 'node:http'
import {flattenHeaders, type TransportRequest, type TransportResponse} from './transport.js'

/** One request over its own connection: a command makes few, and none is kept open when it ends. */
export function httpTransport({url, method, headers, body, signal}: TransportRequest): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : {'content-length': String(Buffer.byteLength(body))}
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
    request.end(body)
  })
}
