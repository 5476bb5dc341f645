import path from 'node:path'
import type {Environment} from './environment.js'

/** Where a daemon that runs for the whole machine keeps its state. */
export const systemHome = '/var/lib/moorage'

export interface Paths {
  /** Of the daemon that commands use when nothing else is chosen. */
  readonly home: string
  /** Homes to look for a running daemon in, in this order. */
  readonly homes: readonly string[]
  readonly contextsFile: string
}

/** Where a daemon of this user keeps everything unless told otherwise. */
export function defaultHome(user: {readonly isRoot: boolean; readonly homeFolder: string}, xdgDataHome: string | undefined): string {
  return user.isRoot ? systemHome : path.join(xdgDataHome ?? path.join(user.homeFolder, '.local', 'share'), 'moorage')
}

export function resolvePaths(environment: Environment, user: {readonly isRoot: boolean; readonly homeFolder: string}): Paths {
  const userHome = environment.userHome ?? user.homeFolder
  const ownHome = defaultHome({isRoot: user.isRoot, homeFolder: userHome}, environment.xdgDataHome)
  const home = environment.home === undefined ? ownHome : path.resolve(environment.home)
  const configDir = environment.configDir ?? path.join(environment.xdgConfigHome ?? path.join(userHome, '.config'), 'moorage')
  // A home that was named is meant: no other daemon stands in for it.
  const homes = environment.home === undefined ? [...new Set([ownHome, systemHome])] : [home]
  return {home, homes, contextsFile: path.join(path.resolve(configDir), 'contexts.json')}
}
