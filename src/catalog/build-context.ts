import {posix} from 'node:path'
import {Fault} from '../contract/faults.js'
import {buildFolder} from './build-folder.js'
import type {InlinedService, InlinedText} from './inline-config.js'

export interface ContextFile {
  /** Relative to the root of the context that all services share. */
  readonly path: string
  readonly content: string
  readonly isSecret: boolean
}

/** What one service adds to the shared build context. */
export interface RenderedBuild {
  readonly folder: string
  /** Path of the Dockerfile in the context. */
  readonly dockerfile: string
  readonly files: readonly ContextFile[]
  /** Names that the Dockerfile takes from the environment. */
  readonly arguments: readonly string[]
}

/** Lays out the shared build context; refuses what could not be laid out as it is written. */
export function layOutBuilds(services: readonly InlinedService[]): ReadonlyMap<string, RenderedBuild> {
  const builds = new Map<string, RenderedBuild>()
  const owners = new Map<string, string>()
  for (const {name, build} of services) {
    if (build === null) continue
    const folder = buildFolder(name)
    const owner = owners.get(folder)
    if (folder === '.' || folder === '..') throw refuse(`service ${name} can not be built: its name is no name of a folder`)
    if (owner !== undefined) throw refuse(`services ${owner} and ${name} are built in the same folder, ${folder}`)
    owners.set(folder, name)
    builds.set(name, layOut(name, folder, build))
  }
  return builds
}

function layOut(name: string, folder: string, {dockerfile, files}: NonNullable<InlinedService['build']>): RenderedBuild {
  if (dockerfile.text.trim() === '') throw refuse(`the Dockerfile of service ${name} is blank`)
  const all = [toContextFile(folder, 'Dockerfile', dockerfile), ...files.map(({path, content}) => toContextFile(folder, path, content))]
  const clash = findPathClash(all.map(({path}) => path))
  if (clash !== undefined) throw refuse(`service ${name} has two build files at ${clash}`)
  return {folder, dockerfile: `${folder}/Dockerfile`, files: all, arguments: declaredArguments(dockerfile.text)}
}

function toContextFile(folder: string, path: string, {text, isSecret}: InlinedText): ContextFile {
  const inside = posix.normalize(path)
  const isOutside = path.startsWith('/') || /[\\\0]/.test(path) || inside === '.' || inside === '..' || inside.startsWith('../') || inside.endsWith('/')
  if (isOutside) throw refuse(`build file ${path} lies outside the folder of its service`)
  return {path: `${folder}/${inside}`, content: text, isSecret}
}

/** A path that is there twice, or that is also the folder of another; undefined where all can be written. */
export function findPathClash(paths: readonly string[]): string | undefined {
  const seen = new Set<string>()
  for (const path of paths) {
    if (seen.has(path)) return path
    seen.add(path)
  }
  return paths.find((path) => foldersOf(path).some((folder) => seen.has(folder)))
}

function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

// One instruction may declare several, each with a default or without.
function declaredArguments(dockerfile: string): string[] {
  const lines = dockerfile.replace(/\\\r?\n/g, ' ').split(/\r?\n/)
  const names = lines.flatMap((line) => {
    const [, declared = ''] = /^\s*ARG\s+(.*)$/i.exec(line) ?? []
    return [...declared.matchAll(/(?:^|\s)([A-Za-z_]\w*)(?==|\s|$)/g)].map(([, name = '']) => name)
  })
  return [...new Set(names)]
}

function refuse(message: string): Fault {
  return new Fault('DEFINITION_INVALID', message)
}
