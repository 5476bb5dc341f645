import {mkdir} from 'node:fs/promises'
import path from 'node:path'
import {Fault} from '../../../src/contract/faults.js'
import type {Clock} from '../../clock.js'
import {GitSource} from './git/fetch-git.js'
import {GitProgram} from './git/git-program.js'
import {openFiles} from './open-files.js'
import {openFolder} from './open-folder.js'
import type {Sources} from './source.js'

export interface SourcesStart {
  readonly home: string
  readonly clock: Clock
  readonly surroundings: Readonly<Record<string, string>>
  readonly foldersAllowed: boolean
}

const limits = {listMs: 60_000, fetchMs: 600_000, keptCommits: 10, mostPacks: 20, mostBytes: 2_000_000_000, mostEntries: 200_000}

/** Sources without uploads, until those are kept. */
export async function gitAndFolders({home, clock, surroundings, foldersAllowed}: SourcesStart): Promise<Sources> {
  const root = path.join(home, 'sources')
  const folder = async (name: string) => {
    const made = path.join(root, name)
    await mkdir(made, {recursive: true, mode: 0o700})
    return made
  }
  const git = new GitProgram({program: 'git', home: await folder('git-home'), surroundings})
  const source = new GitSource({git, clock, mirrors: await folder('mirrors'), folders: {temporary: await folder('keys'), knownHosts: path.join(root, 'known_hosts')}, limits})
  return {
    fetchGit: (request) => source.fetch(request),
    openUpload: async () => {
      throw new Fault('UPLOAD_REFUSED', 'uploads are not kept here yet')
    },
    openFolder: (given, signal) => openFolder(given, {home, isAllowed: foldersAllowed, mostEntries: limits.mostEntries}, signal),
    openFiles,
    forget: async () => undefined,
  }
}
