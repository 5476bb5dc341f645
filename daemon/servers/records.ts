import {z} from 'zod'
import {JumpHostKey, SshAuthMethod} from '../../src/contract/server.js'
import {defineCollection} from '../store/collection.js'

const PowerState = z.enum(['running', 'stopped', 'unknown'])

/** A machine that commands run on. Passwords, keys and passphrases are sealed. */
export const ServerRecord = z.object({
  id: z.string(),
  organizationId: z.string(),
  name: z.string().nullable(),
  isLocal: z.boolean(),
  sshHost: z.string(),
  sshPort: z.int(),
  sshUser: z.string(),
  sshAuthMethod: SshAuthMethod.nullable(),
  sshPassword: z.string().nullable(),
  sshPrivateKey: z.string().nullable(),
  sshKeyPassphrase: z.string().nullable(),
  sshKeyPath: z.string().nullable(),
  sshJumpHost: z.string().nullable(),
  sshArgs: z.string().nullable(),
  /** The pinned key; null until one was seen or given. */
  hostKeyFingerprint: z.string().nullable(),
  /** Whether a person has said that the pinned key is the right one. */
  hostKeyConfirmed: z.boolean(),
  jumpHostKeys: z.array(JumpHostKey),
  workspaceId: z.string().nullable(),
  powerState: PowerState,
  country: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type ServerRecord = z.output<typeof ServerRecord>

export const Servers = defineCollection({
  name: 'servers',
  version: 1,
  schema: ServerRecord,
  indexes: {
    organization: {fields: ['organizationId']},
    address: {fields: ['organizationId', 'sshHost', 'sshPort', 'sshUser']},
    workspace: {fields: ['workspaceId'], sparse: true},
  },
})

/** Who pays for some servers; read by the billing check of cloud mode. */
export const Workspaces = defineCollection({
  name: 'workspaces',
  version: 1,
  schema: z.object({
    id: z.string(),
    organizationId: z.string(),
    subscription: z.enum(['active', 'trialing', 'past_due', 'canceled', 'none']),
    balanceCents: z.int(),
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
  indexes: {organization: {fields: ['organizationId']}},
})
