import {Readable} from 'node:stream'
import {request as undiciRequest, type Dispatcher} from 'undici'
import {flattenHeaders, type TransportRequest, type TransportResponse} from './transport.js'

const methods: readonly Dispatcher.HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

export async function undiciTransport({url, method, headers, body, signal}: TransportRequest): Promise<TransportResponse> {
  const known = methods.find((candidate) => candidate === method)
  if (known === undefined) throw new TypeError(`no HTTP method ${method}`)
  // The caller's signal is the only deadline: a stream may be silent for longer than undici's own.
  const response = await undiciRequest(url, {
    method: known, headers, signal, headersTimeout: 0, bodyTimeout: 0, reset: true,
    ...(body !== undefined && {body: typeof body === 'string' ? body : Readable.from(body, {objectMode: false})}),
  })
  return {
    status: response.statusCode,
    headers: flattenHeaders(response.headers),
    body: response.body,
    discard: () => {
      // Destroying an unread body reports an abort that is ours.
      response.body.on('error', () => undefined)
      response.body.destroy()
    },
  }
}
