import {Fault} from '../contract/faults.js'
import type {Permission} from '../contract/auth.js'

const permissions: readonly Permission[] = ['read', 'write', 'admin', 'create']

export interface Grant {
  readonly resourceType: string
  readonly resourceId: string
  readonly permissions: Permission[]
}

/** `type:id:perm,perm`; the id is what lies between the first and the last colon, as ids may hold colons. */
export function parseGrant(text: string): Grant {
  const first = text.indexOf(':')
  const last = text.lastIndexOf(':')
  const resourceType = text.slice(0, Math.max(first, 0))
  const resourceId = text.slice(first + 1, last)
  const names = text.slice(last + 1).split(',').map((name) => name.trim())
  if (first < 1 || last <= first + 1) throw wrong(text, 'it takes TYPE:ID:PERMISSION,PERMISSION')
  const found = names.map((name) => {
    const permission = permissions.find((candidate) => candidate === name)
    if (permission === undefined) throw wrong(text, `${JSON.stringify(name)} is none of ${permissions.join(', ')}`)
    return permission
  })
  return {resourceType, resourceId, permissions: [...new Set(found)]}
}

function wrong(text: string, why: string): Fault {
  return new Fault('USAGE', `--grant ${text}: ${why}, such as project:*:create or server:srv_kestrel:read,write`, {details: {flag: '--grant'}})
}
