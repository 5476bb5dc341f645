import {z} from 'zod'
import {HostKeyFingerprint, Instant, ServerId} from './fields.js'
import {route} from './route.js'

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
const connectionShape = {
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

const name = z.string().trim().max(100).nullable().optional()

export const ConnectionTest = z.object({
  ok: z.boolean(),
  code: ReachabilityCode,
  message: z.string(),
  hint: z.string().nullable(),
  hostKeyFingerprint: HostKeyFingerprint.nullable().describe('the key the server showed'),
  jumpHostKeys: z.array(JumpHostKey),
})
export type ConnectionTest = z.output<typeof ConnectionTest>

const Workload = z.object({type: z.string(), id: z.string(), name: z.string()})
const params = z.strictObject({id: ServerId})

export const serverRoutes = {
  list: route({
    method: 'GET',
    path: '/api/system/servers',
    summary: 'list servers',
    scope: 'server:list',
    mutates: false,
    mcp: true,
    output: z.array(Server),
  }),
  create: route({
    method: 'POST',
    path: '/api/system/servers',
    summary: 'add an SSH server',
    description: 'Without hostKeyFingerprint the first key that answers is pinned and the server counts as unverified until it is confirmed.',
    scope: 'server:write',
    mutates: true,
    status: 201,
    body: z.strictObject({name, ...connectionShape, workspaceId: z.string().max(200).nullable().optional()}),
    output: Server,
    errors: ['SERVER_EXISTS', 'HOST_KEY_CHANGED', 'KEY_PATH_NOT_ALLOWED', 'INSTANCE_ADMIN_REQUIRED'],
  }),
  show: route({
    method: 'GET',
    path: '/api/system/servers/:id',
    summary: 'show a server',
    scope: 'server:read',
    mutates: false,
    mcp: true,
    params,
    output: Server,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/system/servers/:id',
    summary: 'change a server, or confirm its host key',
    description: 'hostKeyFingerprint confirms or replaces the pin; null forgets it. A changed address, user or credential drops pooled connections.',
    scope: 'server:write',
    mutates: true,
    params,
    body: z.strictObject({
      name,
      ...connectionShape,
      sshHost: connectionShape.sshHost.optional(),
      sshPort: connectionShape.sshPort.unwrap().optional(),
      sshUser: connectionShape.sshUser.unwrap().optional(),
      workspaceId: z.string().max(200).nullable().optional(),
      powerState: z.enum(['running', 'stopped', 'unknown']).optional(),
    }),
    output: Server,
    errors: ['SERVER_EXISTS', 'HOST_KEY_CHANGED', 'KEY_PATH_NOT_ALLOWED', 'LOCAL_SERVER', 'INSTANCE_ADMIN_REQUIRED'],
  }),
  delete: route({
    method: 'DELETE',
    path: '/api/system/servers/:id',
    summary: 'delete a server',
    scope: 'server:admin',
    mutates: true,
    params,
    query: z.strictObject({
      destroyOnSource: z.stringbool().optional(),
      force: z.stringbool().optional().describe('delete although jobs still name it, which are marked broken, or a deployment is going on there, which fails'),
    }),
    output: z.object({
      ok: z.literal(true),
      serverRemoved: z.literal(true),
      destroyOnSource: z.boolean(),
      workloads: z.array(Workload),
      removed: z.array(Workload),
    }),
    errors: ['LOCAL_SERVER', 'SERVER_IN_USE'],
  }),
  reachability: route({
    method: 'GET',
    path: '/api/system/servers/:id/reachability',
    summary: 'try to reach a server and tell what stands in the way',
    scope: 'server:read',
    mutates: false,
    mcp: true,
    params,
    output: z.object({
      reachable: z.boolean(),
      code: ReachabilityCode,
      target: z.string(),
      port: z.int(),
      message: z.string(),
      hint: z.string().nullable(),
      rule: z.string().nullable(),
      channel: z.enum(['local', 'ssh', 'jump']),
      latencyMs: z.number().nullable(),
    }),
  }),
  deletionPreview: route({
    method: 'GET',
    path: '/api/system/servers/:id/deletion-preview',
    summary: 'show what deleting a server would leave behind',
    scope: 'server:read',
    mutates: false,
    params,
    output: z.object({
      ok: z.literal(true),
      preview: z.object({
        workloads: z.array(Workload),
        projectCount: z.int(),
        appCount: z.int(),
        jobs: z.array(z.object({key: z.string(), label: z.string()})),
        activeRuns: z.array(z.string()),
        alsoRemoved: z.array(z.string()),
        alsoUnbound: z.array(z.string()),
        reachable: z.boolean(),
      }),
    }),
  }),
  testConnection: route({
    method: 'POST',
    path: '/api/system/test-connection',
    summary: 'try a connection and store nothing',
    description: 'Answers 200 with ok false when the server can not be reached. Owners and administrators only.',
    scope: 'server:write',
    mutates: true,
    body: z.strictObject({
      name,
      ...connectionShape,
      sshHost: connectionShape.sshHost.optional(),
      sshPort: connectionShape.sshPort.unwrap().optional(),
      sshUser: connectionShape.sshUser.unwrap().optional(),
      serverId: ServerId.optional().describe('take what is not given from this server'),
    }),
    output: ConnectionTest,
    errors: ['INSUFFICIENT_ROLE', 'KEY_PATH_NOT_ALLOWED', 'LOCAL_SERVER'],
  }),
  check: route({
    method: 'POST',
    path: '/api/system/check',
    summary: 'see which components a server has',
    scope: 'server:admin',
    mutates: true,
    body: z.strictObject({serverId: ServerId, components: z.array(z.enum(['docker', 'git', 'rsync'])).max(10).optional()}),
    output: z.object({
      components: z.array(
        z.object({name: z.string(), installed: z.boolean(), healthy: z.boolean(), version: z.string().nullable(), optional: z.boolean(), message: z.string().nullable()}),
      ),
      ready: z.boolean(),
      missing: z.array(z.string()),
    }),
    errors: ['HOST_KEY_CHANGED'],
  }),
  exec: route({
    method: 'POST',
    path: '/api/system/servers/:id/exec',
    summary: 'run one short command on a server and answer with its output',
    scope: 'server:admin',
    mutates: true,
    mcp: true,
    rateLimit: 'write',
    params,
    body: z.strictObject({
      command: z.string().min(1).max(10_000),
      cwd: z.string().max(4096).optional(),
      sudo: z.boolean().default(false),
      timeoutMs: z.int().min(1000).max(600_000).default(60_000),
      maxOutputBytes: z.int().min(1).max(1_000_000).default(200_000),
    }),
    output: z.object({
      data: z.object({
        exitCode: z.int().nullable(),
        signal: z.string().nullable(),
        timedOut: z.boolean(),
        stdout: z.string(),
        stderr: z.string(),
        truncated: z.boolean(),
        durationMs: z.number(),
      }),
    }),
    errors: ['HOST_KEY_CHANGED'],
  }),
  monitor: route({
    method: 'GET',
    path: '/api/system/monitor/stream',
    summary: 'follow the load of a server, every 3 seconds',
    scope: 'server:read',
    mutates: false,
    stream: 'sse',
    query: z.strictObject({serverId: ServerId}),
    output: z.discriminatedUnion('type', [
      z.object({
        type: z.literal('stats'),
        cpu: z.number(),
        memTotal: z.number(),
        memUsed: z.number(),
        diskTotal: z.number(),
        diskUsed: z.number(),
        uptime: z.string(),
        load1: z.string(),
        load5: z.string(),
        load15: z.string(),
      }),
      z.object({type: z.literal('error'), error: z.string()}),
    ]),
  }),
  saveWorkspace: route({
    method: 'PUT',
    path: '/api/system/workspaces/:id',
    summary: 'record the subscription and balance of a workspace, for billing',
    scope: 'authenticated',
    instanceAdmin: true,
    mutates: true,
    params: z.strictObject({id: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, 'letters, digits, dot, hyphen and underscore only')}),
    body: z.strictObject({
      organizationId: z.string().min(1).max(200),
      subscription: z.enum(['active', 'trialing', 'past_due', 'canceled', 'none']),
      balanceCents: z.int(),
      servers: z
        .array(z.strictObject({serverId: ServerId, powerState: z.enum(['running', 'stopped', 'unknown'])}))
        .max(1000)
        .optional()
        .describe('servers of this workspace, with their power state'),
    }),
    output: z.object({
      data: z.object({
        id: z.string(),
        organizationId: z.string(),
        subscription: z.string(),
        balanceCents: z.int(),
        serverIds: z.array(z.string()),
        updatedAt: Instant,
      }),
    }),
    errors: ['INSTANCE_ADMIN_REQUIRED'],
  }),
}
