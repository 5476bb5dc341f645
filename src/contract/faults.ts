// The one table of error codes. The daemon answers `status`, the CLI ends with `exit`, and docs/errors.md is compared with it.

/** Exit numbers of the CLI: 0 done, 1 failed, 2 wrong usage, 4 not signed in or not allowed, 8 still going on, 130 interrupted. */
export type ExitCode = 1 | 2 | 4 | 8 | 130

interface FaultKind {
  readonly status: number
  readonly exit: ExitCode
  readonly meaning: string
}

export const faultTable = {
  // Any route may send these.
  VALIDATION_ERROR: {status: 400, exit: 2, meaning: 'the input breaks a rule; errors[] names each field'},
  INVALID_JSON: {status: 400, exit: 2, meaning: 'the request body is not JSON'},
  UNAUTHORIZED: {status: 401, exit: 4, meaning: 'no credential was sent'},
  INVALID_TOKEN: {status: 401, exit: 4, meaning: 'the token is unknown, expired or revoked'},
  FORBIDDEN: {status: 403, exit: 4, meaning: 'the credential holds the needed permission on nothing; see required and held'},
  TOKEN_READ_ONLY: {status: 403, exit: 4, meaning: 'a read-only token was used on a route that changes something'},
  TOKEN_ORG_SCOPE: {status: 403, exit: 4, meaning: 'X-Organization-Id differs from the organization of the token'},
  NOT_FOUND: {status: 404, exit: 1, meaning: 'no such resource, or it is not yours to see'},
  CONFLICT: {status: 409, exit: 1, meaning: 'the state of the resource does not allow this'},
  PAYLOAD_TOO_LARGE: {status: 413, exit: 2, meaning: 'the request body is larger than the route takes'},
  UNSUPPORTED_MEDIA_TYPE: {status: 415, exit: 2, meaning: 'the request body is not of type application/json'},
  RATE_LIMITED: {status: 429, exit: 1, meaning: 'too many requests; wait Retry-After seconds'},
  INTERNAL: {status: 500, exit: 1, meaning: 'a bug or a broken disk; the daemon log has the request id'},
  SERVER_UNREACHABLE: {status: 502, exit: 1, meaning: 'a server did not answer, or did not let us in'},
  STORE_FULL: {status: 507, exit: 1, meaning: 'the disk of the daemon is full; nothing was changed'},

  // Tokens and members.
  TOKEN_SCOPE_REQUIRED: {status: 400, exit: 2, meaning: 'a token needs grants, or fullAccess: true'},
  AMBIGUOUS_TOKEN_SCOPE: {status: 400, exit: 2, meaning: 'a token takes grants or fullAccess, not both'},
  INVALID_RESOURCE_TYPE: {status: 400, exit: 2, meaning: 'a grant names a kind of resource that cannot be granted'},
  SINGLETON_REQUIRES_WILDCARD: {status: 400, exit: 2, meaning: 'this kind of resource is granted as a whole, with resourceId *'},
  INVALID_GRANT_SCOPE: {status: 400, exit: 2, meaning: 'project:* takes exactly the permission create'},
  GRANT_EXCEEDS_ACCESS: {status: 403, exit: 4, meaning: 'a token can not be given more than its maker holds'},
  INSUFFICIENT_ROLE: {status: 403, exit: 4, meaning: 'the role of the caller does not allow this'},
  INSTANCE_ADMIN_REQUIRED: {status: 403, exit: 4, meaning: 'only an administrator of the instance may do this'},
  MEMBER_EXISTS: {status: 409, exit: 1, meaning: 'this person is a member already'},
  LAST_OWNER: {status: 409, exit: 1, meaning: 'an organization keeps at least one owner'},

  // Projects and servers.
  PROJECT_EXISTS: {status: 409, exit: 1, meaning: 'a project of this name is there already'},
  SERVER_EXISTS: {status: 409, exit: 1, meaning: 'a server of this name or address is there already'},
  SERVER_IN_USE: {status: 409, exit: 1, meaning: 'jobs still name this server, or a deployment is going on there; see jobs[] and deploymentIds[]'},
  HOST_KEY_CHANGED: {status: 409, exit: 1, meaning: 'the server answers with another host key than the pinned one'},
  KEY_PATH_NOT_ALLOWED: {status: 400, exit: 2, meaning: 'the key file lies outside the folders that keys may be read from'},
  LOCAL_SERVER: {status: 400, exit: 2, meaning: 'the local machine has no connection to edit and can not be deleted'},

  // Deployments.
  NOTHING_TO_DEPLOY: {status: 400, exit: 1, meaning: 'the project has no repository, image, upload or services'},
  NOTHING_DEPLOYED: {status: 400, exit: 1, meaning: 'nothing of the project is deployed'},
  SERVICE_INVALID: {status: 400, exit: 2, meaning: 'the service can not be as described; see reason'},
  SERVICE_CONFIG_STALE: {status: 409, exit: 1, meaning: 'variables changed since the container was made; deploy to apply them; see staleEnvKeys'},
  PROJECT_DELETION_IN_PROGRESS: {status: 409, exit: 1, meaning: 'the project is being deleted'},
  PROJECT_HAS_ACTIVE_WORK: {status: 409, exit: 1, meaning: 'a deployment is going on; force cancels it first'},
  PROJECT_TEARDOWN_FAILED: {status: 409, exit: 1, meaning: 'what runs on the server could not be taken away; forceOrphan leaves it there'},
  DEPLOYMENT_FINISHED: {status: 400, exit: 1, meaning: 'the deployment has ended already'},
  DEPLOYMENT_NOT_FINISHED: {status: 400, exit: 1, meaning: 'the deployment is going on, or is the release that is served'},
  DEPLOYMENT_FAILED: {status: 500, exit: 1, meaning: 'the deployment did not go live; the release before it is served'},
  NO_DECISION: {status: 400, exit: 1, meaning: 'no decision on the deployment is open'},
  NO_PREDECESSOR: {status: 400, exit: 1, meaning: 'no release that was served before this one is kept'},
  NO_REPOSITORY: {status: 400, exit: 1, meaning: 'the project is not deployed from a repository'},
  RELEASE_GONE: {status: 409, exit: 1, meaning: 'what a rollback to this release needs is no longer there'},
  COMPOSE_INVALID: {status: 400, exit: 2, meaning: 'the Compose file can not be used; see problems'},
  SOURCE_UNAVAILABLE: {status: 502, exit: 1, meaning: 'the repository, branch, commit or folder can not be read'},
  UPLOAD_REFUSED: {status: 400, exit: 2, meaning: 'the upload is unknown, expired, or holds what is not allowed'},
  ENGINE_UNAVAILABLE: {status: 502, exit: 1, meaning: 'no container engine answers on the server, or it lets this user do nothing'},
  OLD_VOLUMES: {status: 409, exit: 1, meaning: 'a deleted project left volumes that an app would use with passwords that are not its own; see volumes'},
  UPGRADE_REQUIRED: {status: 426, exit: 1, meaning: 'the route is a WebSocket, and the request did not ask for one; a proxy in between may not pass it on'},
  PORT_IN_USE: {status: 409, exit: 1, meaning: 'a port of the host is taken already; see ports'},

  // Jobs.
  JOB_EXISTS: {status: 409, exit: 1, meaning: 'a job of this name is there already'},
  JOB_IN_USE: {status: 409, exit: 1, meaning: 'other jobs depend on this one; see jobs[]'},
  JOB_CONFLICT: {status: 409, exit: 1, meaning: 'a job of this name was made otherwise; adopt it or rename yours'},
  SYSTEM_JOB: {status: 400, exit: 2, meaning: 'a system job takes only cronExpression and enabled, and can not be deleted'},
  RUN_FINISHED: {status: 409, exit: 1, meaning: 'the run has ended already'},
  RUN_NOT_FINISHED: {status: 409, exit: 1, meaning: 'the run is still going on'},
  OVERLAP: {status: 409, exit: 1, meaning: 'the job is running and its overlap policy is skip'},
  CLOUD_BILLING_BLOCKED: {status: 402, exit: 1, meaning: 'billing refused the run; see workspaceId and serverId'},

  // Apps.
  APP_SCHEMA_TOO_NEW: {status: 400, exit: 1, meaning: 'the definition has a shape that only a newer release reads'},
  APP_REQUIRES_UPDATE: {status: 400, exit: 1, meaning: 'the definition asks for a newer release; see minVersion'},
  APP_KIND_REFUSED: {status: 400, exit: 2, meaning: 'only apps of kind template can be uploaded'},
  APP_ID_TAKEN: {status: 400, exit: 2, meaning: 'another app has this id, or one that differs only in case; rename yours'},

  APP_UNKNOWN: {status: 400, exit: 1, meaning: 'no app of this id is in the catalog'},
  APP_UNAVAILABLE: {status: 400, exit: 1, meaning: 'the app is coming soon and can not be installed yet'},
  CLOUD_REQUIRED_MANAGED_PROJECT_DOMAIN: {status: 403, exit: 1, meaning: 'managed sub-domains need the hosted edition'},
  CONNECTION_REFUSED: {status: 400, exit: 2, meaning: 'the projects can not be connected so; see reason'},

  // The command line only.
  CATALOG_UNREACHABLE: {status: 502, exit: 1, meaning: 'the source of the catalog can not be read; the last good copy stays in use'},
  DEFINITION_INVALID: {status: 400, exit: 1, meaning: 'app definitions have problems; see findings'},
  USAGE: {status: 400, exit: 2, meaning: 'the command line is wrong'},
  CONFIGURATION: {status: 500, exit: 2, meaning: 'a configuration file or variable is wrong'},
  NOT_SIGNED_IN: {status: 401, exit: 4, meaning: 'no token was found'},
  CONFIRMATION_REQUIRED: {status: 400, exit: 2, meaning: 'this needs a yes: give --yes'},
  DAEMON_NOT_RUNNING: {status: 503, exit: 1, meaning: 'no daemon answers'},
  DAEMON_START_FAILED: {status: 500, exit: 1, meaning: 'the daemon did not come up'},
  HOME_IN_USE: {status: 409, exit: 1, meaning: 'another daemon uses this home'},
  STORE_DAMAGED: {status: 500, exit: 1, meaning: 'a file of the store is damaged; `daemon repair` shows what would be lost'},
  STORE_TOO_NEW: {status: 500, exit: 2, meaning: 'the store was written by a newer release'},
  UNEXPECTED_RESPONSE: {status: 502, exit: 1, meaning: 'what answered is not the API of this program'},
  RUN_FAILED: {status: 500, exit: 1, meaning: 'the run did not succeed'},
  WAIT_TIMEOUT: {status: 408, exit: 8, meaning: 'accepted, but not finished when we stopped waiting'},
  INTERRUPTED: {status: 499, exit: 130, meaning: 'interrupted'},
} as const satisfies Record<string, FaultKind>

export type FaultCode = keyof typeof faultTable

/** One thing that is wrong with an input; `path` is a JSON pointer (RFC 6901) into it. */
export interface FieldError {
  readonly path: string
  readonly message: string
}

export interface FaultOptions {
  /** Extra members of the error body: what a program needs to act on the failure. Never a secret. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly errors?: readonly FieldError[]
  /** Commands to type next, without the name of the program. */
  readonly suggestions?: readonly string[]
  readonly cause?: unknown
}

/** The only error the product throws on purpose: a code of the table and one line for people. */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly code: FaultCode
  readonly details: Readonly<Record<string, unknown>>
  readonly errors: readonly FieldError[]
  readonly suggestions: readonly string[]

  constructor(code: FaultCode, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : {cause: options.cause})
    this.code = code
    this.details = options.details ?? {}
    this.errors = options.errors ?? []
    this.suggestions = options.suggestions ?? []
  }

  get status(): number {
    return faultTable[this.code].status
  }

  get exit(): ExitCode {
    return faultTable[this.code].exit
  }
}

/** A fault for one or more bad fields; the message names the first. */
export function invalidInput(errors: readonly FieldError[]): Fault {
  const [first] = errors
  const message = first === undefined ? 'the input is not valid' : `${first.path.slice(1) || 'body'}: ${first.message}`
  return new Fault('VALIDATION_ERROR', message, {errors})
}

export function isFaultCode(value: unknown): value is FaultCode {
  return typeof value === 'string' && Object.hasOwn(faultTable, value)
}

/** Codes that any route may answer with, so a route declares only its own. */
export const commonFaults = [
  'VALIDATION_ERROR', 'INVALID_JSON', 'UNAUTHORIZED', 'INVALID_TOKEN', 'FORBIDDEN', 'TOKEN_READ_ONLY', 'TOKEN_ORG_SCOPE', 'NOT_FOUND', 'CONFLICT',
  'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED', 'INTERNAL', 'SERVER_UNREACHABLE', 'STORE_FULL',
] as const satisfies readonly FaultCode[]
