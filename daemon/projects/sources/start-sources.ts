import {mkdir, rm} from 'node:fs/promises'
import path from 'node:path'
import type {uploadRoutes} from '../../../src/contract/uploads.js'
import type {Clock} from '../../clock.js'
import type {RecordEvent} from '../../events/event-log.js'
import type {Handlers} from '../../http/handlers.js'
import {describeError, type Log} from '../../log.js'
import type {DaemonSettings, Environment} from '../../settings.js'
import type {Store} from '../../store/store.js'
import {listBranches, listCommits} from './git/browse-remote.js'
import {Projects} from '../records.js'
import {GitSource, type GitLimits} from './git/fetch-git.js'
import {GitProgram} from './git/git-program.js'
import {openFiles} from './open-files.js'
import {openFolder} from './open-folder.js'
import type {Sources} from './source.js'
import {createUploadHandlers} from './uploads/upload-handlers.js'
import {UploadStore} from './uploads/upload-store.js'
import {uploadsOf} from './uploads/used-uploads.js'

export interface SourcesStart {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly recordEvent: RecordEvent
  readonly settings: Pick<DaemonSettings, 'home' | 'mode' | 'publicUrl' | 'uploadLimitBytes'>
  /** Of the daemon; PATH, the proxies and the certificates of the machine are taken from it for git. */
  readonly environment: Environment
}

export interface StartedSources {
  readonly sources: Sources
  readonly handlers: Handlers<typeof uploadRoutes>
  stop(): Promise<void>
}

const mostEntries = 200_000
const gitLimits: GitLimits = {listMs: 60_000, fetchMs: 15 * 60_000, keptCommits: 10, mostPacks: 20, mostBytes: 5_000_000_000, mostEntries}
const unpackedTimes = 10
const idleMs = 60_000
const pruneEveryMs = 30 * 60_000

/** Puts together where trees come from. What an earlier daemon left unfinished is gone afterwards. */
export async function startSources({store, clock, log, recordEvent, settings, environment}: SourcesStart): Promise<StartedSources> {
  const folders = await prepareFolders(settings.home)
  const gitParts = {git: new GitProgram({program: 'git', home: folders.gitHome, surroundings: gitSurroundings(environment)}), clock, mirrors: folders.mirrors, folders, limits: gitLimits}
  const git = new GitSource(gitParts)
  const {uploadLimitBytes} = settings
  const uploads = new UploadStore({store, clock, folder: folders.uploads, limits: {uploadBytes: uploadLimitBytes, unpackedBytes: uploadLimitBytes * unpackedTimes, entries: mostEntries, idleMs}})
  await uploads.start()
  const prune = () => Promise.all([uploads.prune(), git.prune(async (projectId) => (await store.get(Projects, projectId)) !== undefined)])
  const stopPruning = repeat(clock, pruneEveryMs, () => prune().catch((error: unknown) => log.error('old uploads and mirrors were not taken away', {error: describeError(error)})))
  return {
    sources: {
      fetchGit: (request) => git.fetch(request),
      listBranches: (look) => listBranches(gitParts, look),
      listCommits: (look) => listCommits(gitParts, look),
      openUpload: (sessionId, organizationId, signal) => uploads.openTree(sessionId, organizationId, signal),
      openFolder: (folder, signal) => openFolder(folder, {home: settings.home, isAllowed: settings.mode !== 'cloud', mostEntries}, signal),
      openFiles,
      async forget(projectId) {
        await git.forget(projectId)
        await uploads.delete(await uploadsOf(store, projectId))
      },
    },
    handlers: createUploadHandlers({store, clock, recordEvent, publicUrl: settings.publicUrl, uploads}),
    stop: stopPruning,
  }
}

async function prepareFolders(home: string) {
  const own = path.join(home, 'sources')
  const folders = {uploads: path.join(home, 'uploads'), mirrors: path.join(own, 'mirrors'), gitHome: path.join(own, 'home'), temporary: path.join(own, 'temporary')}
  // Key files of fetches that were going on when the daemon was killed.
  await rm(folders.temporary, {recursive: true, force: true})
  for (const folder of Object.values(folders)) await mkdir(folder, {recursive: true, mode: 0o700})
  return {...folders, knownHosts: path.join(own, 'known_hosts')}
}

const passedOn = ['https_proxy', 'http_proxy', 'all_proxy', 'no_proxy', 'HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH']
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** How the machine gets out, and nothing else of what the daemon was started with. */
export function gitSurroundings(environment: Environment): Record<string, string> {
  const kept = passedOn.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]] as const]))
  return {PATH: environment['PATH'] ?? defaultPath, ...Object.fromEntries(kept)}
}

/** Does something again and again; the answer stops it, once it is not being done. */
function repeat(clock: Clock, everyMs: number, work: () => Promise<unknown>): () => Promise<void> {
  let going = Promise.resolve()
  let stopped = false
  const next = () => {
    going = work().then(() => {
      if (!stopped) cancel = clock.after(everyMs, next)
    })
  }
  let cancel = clock.after(everyMs, next)
  return async () => {
    stopped = true
    cancel()
    await going
  }
}
