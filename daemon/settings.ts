import {chmod, readFile} from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import {z} from 'zod'
import {isLoopback} from '../src/client/api-url.js'
import {defaultHome} from '../src/config/paths.js'
import {Fault} from '../src/contract/faults.js'
import {isZone} from '../src/schedule/zone.js'
import {makeFileOnce, makePrivateFolder, systemCode} from './store/disk.js'

/** Everything an operator decides about a daemon. Each is a flag, an environment variable and a key of config.json; the first of these wins. */
export interface DaemonSettings {
  readonly home: string
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly mode: 'selfhosted' | 'desktop' | 'cloud'
  readonly publicUrl: string | undefined
  /** Whether schedules run. */
  readonly jobs: boolean
  readonly store: string
  readonly secretKey: string | undefined
  /** Folder of systemd credentials. */
  readonly credentialsDirectory: string | undefined
  readonly bootstrapToken: string | undefined
  readonly tokenPrefix: string
  readonly timeZone: string
  /** Folders, besides the default ones, that SSH keys may be read from. */
  readonly sshKeyRoots: readonly string[]
  /** Where the catalog of apps is fetched from; the bundled one alone where it is not set. */
  readonly catalogUrl: string | undefined
  /** Of an uploaded folder, as it is sent. */
  readonly uploadLimitBytes: number
}

const text = z.string().trim().min(1)

/** The keys of config.json; flags and the environment hold the same as text. */
export const ConfigFile = z.strictObject({
  host: text.optional(),
  port: z.coerce.number().int().min(0).max(65_535).optional(),
  mode: z.enum(['selfhosted', 'desktop', 'cloud']).optional(),
  publicUrl: z.url({protocol: /^https?$/}).optional(),
  jobs: z.enum(['on', 'off']).optional(),
  store: text.optional(),
  secretKey: text.optional(),
  bootstrapToken: text.optional(),
  tokenPrefix: z.string().regex(/^[a-z][a-z0-9]{0,19}$/, 'must be 1 to 20 lower-case letters and digits').optional(),
  timeZone: z.string().refine(isZone, 'is not a time zone; use an IANA name such as Europe/Berlin').optional(),
  sshKeyRoots: z.array(z.string().startsWith('/', 'must be an absolute path')).optional(),
  catalogUrl: z.string().trim().refine(isCatalogUrl, 'must be an https:// address without user name or password; http:// only for this machine').optional(),
  uploadLimitBytes: z.coerce.number().int().min(1_000, 'must be a number of bytes, at least 1000').optional(),
})
export type ConfigFile = z.output<typeof ConfigFile>

/** The environment variable of each key. */
export const settingVariables = {
  host: 'MOORAGE_HOST',
  port: 'MOORAGE_PORT',
  mode: 'MOORAGE_MODE',
  publicUrl: 'MOORAGE_PUBLIC_URL',
  jobs: 'MOORAGE_JOBS',
  store: 'MOORAGE_STORE',
  secretKey: 'MOORAGE_SECRET_KEY',
  bootstrapToken: 'MOORAGE_BOOTSTRAP_TOKEN',
  tokenPrefix: 'MOORAGE_TOKEN_PREFIX',
  timeZone: 'MOORAGE_TIME_ZONE',
  sshKeyRoots: 'MOORAGE_SSH_KEY_ROOTS',
  catalogUrl: 'MOORAGE_CATALOG_URL',
  uploadLimitBytes: 'MOORAGE_UPLOAD_LIMIT',
} as const satisfies Record<keyof ConfigFile, string>

export type Flags = Partial<Record<keyof ConfigFile | 'home', string | undefined>>
export type Environment = Readonly<Record<string, string | undefined>>

const configName = 'config.json'

/** Reads all three sources. A setting that can not be parsed stops the start, naming where it stands. */
export async function loadSettings(flags: Flags, environment: Environment): Promise<DaemonSettings> {
  const home = path.resolve(flags.home ?? environment['MOORAGE_HOME'] ?? homeOf(environment))
  const file = await readConfig(home)
  const {credentialsDirectory, ...merged} = {...file, ...fromEnvironment(environment), ...fromFlags(flags), credentialsDirectory: environment['CREDENTIALS_DIRECTORY']}
  return {
    home,
    host: merged.host ?? '127.0.0.1',
    port: merged.port ?? 4400,
    mode: merged.mode ?? 'selfhosted',
    publicUrl: merged.publicUrl,
    jobs: merged.jobs === 'on',
    store: merged.store ?? 'file',
    secretKey: merged.secretKey,
    credentialsDirectory,
    bootstrapToken: merged.bootstrapToken,
    tokenPrefix: merged.tokenPrefix ?? 'moor',
    timeZone: merged.timeZone ?? 'UTC',
    sshKeyRoots: merged.sshKeyRoots ?? [],
    catalogUrl: merged.catalogUrl,
    uploadLimitBytes: merged.uploadLimitBytes ?? 300_000_000,
  }
}

// What is fetched decides what people install: nobody on the way may change it.
function isCatalogUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.host))
}

function homeOf(environment: Environment): string {
  const user = {isRoot: process.getuid?.() === 0, homeFolder: environment['HOME'] ?? os.homedir()}
  return defaultHome(user, environment['XDG_DATA_HOME'])
}

function fromFlags(flags: Flags): ConfigFile {
  const given = Object.entries(flags).filter(([name, value]) => name !== 'home' && value !== undefined)
  return check(withLists(Object.fromEntries(given)), (key) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
}

function fromEnvironment(environment: Environment): ConfigFile {
  const given = Object.entries(settingVariables).flatMap(([key, variable]) => {
    const value = environment[variable]
    return value === undefined || value === '' ? [] : [[key, value] as const]
  })
  return check(withLists(Object.fromEntries(given)), (key) => settingVariables[key as keyof ConfigFile])
}

// Lists are written like PATH where only text is to be had.
function withLists(given: Record<string, unknown>): Record<string, unknown> {
  const roots = given['sshKeyRoots']
  return typeof roots === 'string' ? {...given, sshKeyRoots: roots.split(path.delimiter).filter((root) => root !== '')} : given
}

async function readConfig(home: string): Promise<ConfigFile> {
  const file = path.join(home, configName)
  let value: unknown
  const content = await readFile(file, 'utf8').catch(async (error: unknown) => {
    if (systemCode(error) === 'ENOENT') return makeFirstConfig(home, file)
    throw new Fault('CONFIGURATION', `can not read ${file}`, {cause: error})
  })
  try {
    value = JSON.parse(content)
  } catch (error) {
    throw new Fault('CONFIGURATION', `${file} is not valid JSON: ${error instanceof Error ? error.message : ''}`, {cause: error})
  }
  return check(value, (key) => `${key} in ${file}`)
}

// Schedules run because this file says so: an installation that lost it does not begin to run jobs by itself. Several daemons may start at once; all but one go again.
async function makeFirstConfig(home: string, file: string): Promise<string> {
  await makePrivateFolder(home)
  await chmod(home, 0o700)
  const first: ConfigFile = {jobs: 'on'}
  return makeFileOnce(file, `${JSON.stringify(first, null, 2)}\n`)
}

function check(value: unknown, nameOf: (key: string) => string): ConfigFile {
  const result = ConfigFile.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  if (issue?.code === 'unrecognized_keys') throw new Fault('CONFIGURATION', `${nameOf(issue.keys[0] ?? '')} is not a setting`)
  const key = String(issue?.path[0] ?? '')
  throw new Fault('CONFIGURATION', `${nameOf(key)}: ${issue?.message ?? 'is not valid'}`)
}
