import {mkdir, realpath} from 'node:fs/promises'
import {join} from 'node:path'
import {GitProgram} from '../../../../../daemon/projects/sources/git/git-program.js'
import {GitSource, type GitLimits} from '../../../../../daemon/projects/sources/git/fetch-git.js'
import type {GitAccess, GitRequest, SourceTree} from '../../../../../daemon/projects/sources/source.js'
import {systemClock} from '../../../../../daemon/clock.js'
import {temporaryFolder} from '../../../start-test-daemon.js'
import {idle, packedText} from '../tar-entries.js'

export const limits: GitLimits = {listMs: 20_000, fetchMs: 60_000, keptCommits: 3, mostPacks: 4, mostBytes: 50_000_000, mostEntries: 10_000}

export interface GitFixture {
  readonly folder: string
  readonly source: GitSource
  readonly lines: string[]
  fetch(wish: Partial<Omit<GitRequest, 'access'>> & {readonly url: string} & Partial<GitAccess>): Promise<SourceTree>
}

/** A git source with folders of its own. */
export async function gitFixture(changes: Partial<GitLimits> = {}, program = 'git', surroundings: Readonly<Record<string, string>> = {}): Promise<GitFixture> {
  // Programs take blanks and per cent signs for something else than a name.
  const folder = join(await realpath(await temporaryFolder()), 'a home %h')
  await mkdir(folder)
  for (const name of ['home', 'temporary', 'mirrors']) await mkdir(join(folder, name))
  const git = new GitProgram({program, home: join(folder, 'home'), surroundings: {PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...surroundings}})
  const source = new GitSource({
    git, clock: systemClock, mirrors: join(folder, 'mirrors'), limits: {...limits, ...changes},
    folders: {temporary: join(folder, 'temporary'), knownHosts: join(folder, 'known_hosts')},
  })
  const lines: string[] = []
  return {
    folder, source, lines,
    fetch({url, deployKey = null, username = null, password = null, ...wish}) {
      return source.fetch({
        projectId: 'proj_1', branch: null, commitSha: null, submodules: false, signal: idle, onLine: (line) => lines.push(line), ...wish,
        access: {url, deployKey, username, password},
      })
    },
  }
}

export function filesOf(tree: SourceTree, folder = '.'): Promise<Record<string, string>> {
  return packedText(tree.pack(folder, {dockerfile: 'Dockerfile', signal: idle}))
}
