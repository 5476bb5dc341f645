import {Fault} from '../contract/faults.js'

/**
 * The address of an instance as people write it: with or without scheme, port, trailing slash or the path `/api`. Answers the base that
 * route paths are appended to. `source` names where the text came from, for the error.
 */
export function parseApiUrl(text: string, source: string): string {
  const trimmed = text.trim()
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `${isLoopback(trimmed) ? 'http' : 'https'}://${trimmed}`
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined
  if (trimmed === '' || url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new Fault('CONFIGURATION', `${source} is not an address of the form https://host:port`, {details: {source}})
  }
  if (url.username !== '' || url.password !== '') throw new Fault('CONFIGURATION', `${source} must not hold a user name or password`, {details: {source}})
  if (url.search !== '' || url.hash !== '') throw new Fault('CONFIGURATION', `${source} must end with the path, without ? or #`, {details: {source}})
  const path = url.pathname.replace(/\/+$/, '').replace(/\/api$/, '')
  return url.origin + path
}

/** Whether a host, with or without port, is this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?([/?#]|$)/i.test(host)
}
