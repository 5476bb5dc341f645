import {toHostLabel} from './host-label.js'
import type {Problems} from './problems.js'
import type {Place} from './tree.js'

interface Named {
  readonly name: string
  readonly place: Place
}

/** Names of services are names of hosts on the network of the project. */
export function checkServiceNames(services: readonly Named[], problems: Problems): void {
  const holders = new Map<string, string>()
  for (const {name, place} of services) {
    const label = toHostLabel(name)
    if (!/^[a-zA-Z0-9][a-zA-Z0-9._-]*$/.test(name) || name.length > 63) {
      problems.error(place, `${JSON.stringify(name)} can not be the name of a service: it is a host name of at most 63 letters, digits and hyphens${label === '' ? '' : `; call it ${label.slice(0, 63)}`}`)
      continue
    }
    if (/[A-Z_]/.test(name)) problems.warn(place, `${name} is no proper host name, and some programs refuse it; ${label} is one`)
    const holder = holders.get(label)
    if (holder !== undefined) problems.error(place, `${name} and ${holder} are the same host name (${label}); give one of them another name`)
    holders.set(label, name)
  }
}

/** Keys of volumes and networks become parts of names on the engine. */
export function checkResourceNames(kind: string, resources: readonly Named[], problems: Problems): void {
  for (const {name, place} of resources) {
    if (!/^[a-zA-Z0-9][a-zA-Z0-9._-]*$/.test(name)) problems.error(place, `${JSON.stringify(name)} can not be the name of a ${kind}; use letters, digits, dots, hyphens and underscores, with a letter or digit first`)
  }
}
