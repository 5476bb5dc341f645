import {Fault} from '../contract/faults.js'

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  ENOTFOUND: 'the host name has no address',
  EAI_AGAIN: 'the host name can not be looked up just now',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
  EACCES: 'the connection is not permitted',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain ends in one signed by itself',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate can not be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS; is it http:// instead of https://?',
}

/** What kept a request from being answered, naming the address that was tried. */
export function toTransportFault(error: unknown, url: URL): Fault {
  return new Fault('DAEMON_NOT_RUNNING', `no answer from ${url.origin}: ${networkReason(error)}`, {
    details: {url: withoutQuery(url), cause: errorCode(error) ?? null}, suggestions: ['status', 'daemon start'], cause: error,
  })
}

/** Why a request failed, in words. */
export function networkReason(error: unknown): string {
  const code = errorCode(error)
  return (code === undefined ? undefined : reasons[code]) ?? (error instanceof Error ? error.message : String(error))
}

/** Without the query, which may hold what was typed. */
export function withoutQuery(url: URL): string {
  return url.origin + url.pathname
}

// Attempts at several addresses arrive as one error that holds theirs.
function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  if (error instanceof AggregateError) return errorCode(error.errors[0])
  return errorCode(error.cause)
}
