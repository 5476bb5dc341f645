import {string} from '@oclif/core/flags'
import type {Role} from '../contract/auth.js'
import {Fault} from '../contract/faults.js'

const roles: readonly Role[] = ['owner', 'admin', 'member', 'restricted']

export const roleFlag = string({description: 'what the person may do', options: [...roles], helpValue: 'ROLE'})

export function parseRole(text: string): Role {
  const role = roles.find((known) => known === text)
  if (role === undefined) throw new Fault('USAGE', `--role takes one of ${roles.join(', ')}`)
  return role
}
