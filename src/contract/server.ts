import {z} from 'zod'
import {HostKeyFingerprint, Instant, ServerId} from './fields.js'

export const SshAuthMethod = z.enum(['password', 'key', 'agent'])

/** What came of trying to reach a server. */
export const ReachabilityCode = z.enum([
  'reachable',
  'refused',
  'filtered',
  'unreachable',
  'dns_failed',
  'auth_failed',
  'key_missing',
  'key_invalid',
  'key_path_invalid',
  'host_key_changed',
  'host_key_unknown',
  'permission_denied',
  'timeout',
  'protocol_error',
  'misconfigured',
  'unknown',
])
export type ReachabilityCode = z.output<typeof ReachabilityCode>

export const JumpHostKey = z.object({host: z.string(), hostKeyFingerprint: HostKeyFingerprint})

export const Server = z.object({
  id: ServerId,
  name: z.string().nullable(),
  isLocal: z.boolean(),
  sshHost: z.string(),
  sshPort: z.int(),
  sshUser: z.string(),
  sshAuthMethod: SshAuthMethod.nullable(),
  sshKeyPath: z.string().nullable(),
  sshJumpHost: z.string().nullable(),
  sshArgs: z.string().nullable(),
  hasStoredPassword: z.boolean(),
  hasStoredKeyMaterial: z.boolean(),
  hostKeyFingerprint: HostKeyFingerprint.nullable(),
  hostKeyStatus: z.enum(['verified', 'unverified', 'none']).describe('unverified: pinned from the first answer, not yet confirmed by a person'),
  jumpHostKeys: z.array(JumpHostKey).describe('the pin of each jump host, in the order they are passed'),
  workspaceId: z.string().nullable(),
  powerState: z.enum(['running', 'stopped', 'unknown']),
  projectCount: z.int(),
  hostChannel: z.object({ok: z.boolean(), channel: z.string(), hint: z.string().nullable()}).nullable(),
  country: z.string().nullable(),
  createdAt: Instant,
})
export type Server = z.output<typeof Server>

// Clients send null or an empty text for what was left blank: it means the same as leaving it out of a new server.
export const connectionShape = {
  sshHost: z.string().trim().min(1).max(253).describe('host name or address'),
  sshPort: z.int().min(1).max(65_535).nullable().default(22),
  sshUser: z.string().regex(/^([A-Za-z0-9_][A-Za-z0-9._@\\-]{0,63})?$/, 'is not a user name').nullable().default('root'),
  sshAuthMethod: SshAuthMethod.nullable().optional(),
  sshPassword: z.string().max(4096).nullable().optional(),
  sshKeyPath: z.string().max(4096).nullable().optional().describe('absolute path of a private key on the machine of the daemon'),
  sshPrivateKey: z.string().max(65_536).nullable().optional().describe('a private key, PEM or OpenSSH; wins over sshKeyPath'),
  sshKeyPassphrase: z.string().max(4096).nullable().optional(),
  sshJumpHost: z.string().max(2000).nullable().optional().describe('[user@]host[:port], several separated by commas, or the id of a server'),
  sshArgs: z.string().max(2000).nullable().optional().describe('-J, -p and -o with ProxyJump, ConnectTimeout or ServerAliveInterval'),
  hostKeyFingerprint: HostKeyFingerprint.nullable().optional().describe('the host key to expect'),
  jumpHostKeyFingerprints: z.array(HostKeyFingerprint).max(8).optional().describe('the host key to expect of each jump host, in order'),
}

export const serverName = z.string().trim().max(100).nullable().optional()

export const ConnectionTest = z.object({
  ok: z.boolean(),
  code: ReachabilityCode,
  message: z.string(),
  hint: z.string().nullable(),
  hostKeyFingerprint: HostKeyFingerprint.nullable().describe('the key the server showed'),
  jumpHostKeys: z.array(JumpHostKey),
})
export type ConnectionTest = z.output<typeof ConnectionTest>
