import type {ComposeBuild} from './compose-model.js'
import {warnUnknownKeys} from './problems.js'
import {takeVariable, type ReadContext} from './read-context.js'
import {readMap, readPairs, readText, toRecord} from './read-values.js'
import {joinSource, relativeTo} from './source-path.js'
import {childOf, type MapNode, type TreeNode} from './tree.js'

/** Keys that a build here can do without. */
const idle = ['cache_from', 'cache_to', 'extra_hosts', 'isolation', 'labels', 'network', 'no_cache', 'platforms', 'privileged', 'provenance', 'pull', 'sbom', 'shm_size', 'tags', 'ulimits']
const refused: Readonly<Record<string, string>> = {
  additional_contexts: 'a build sees one folder; move what it needs below context, or use a base image that holds it',
  entitlements: 'builds have no further rights here; take it away',
  secrets: 'builds get no secrets here; give the value with args, or fetch it when the container starts',
  ssh: 'builds get no SSH agent here; make what it fetches part of the source, as with a submodule',
}
const known = ['context', 'dockerfile', 'dockerfile_inline', 'args', 'target', ...idle, ...Object.keys(refused)]

export async function readBuild(service: MapNode, context: ReadContext): Promise<ComposeBuild | null> {
  const {problems} = context
  const build = readMap(childOf(service, 'build'), problems)
  if (build === undefined) return null
  warnUnknownKeys(build, known, problems)
  for (const [key, {key: place}] of build.entries) {
    const why = Object.hasOwn(refused, key) ? refused[key] : undefined
    if (why !== undefined) problems.error(place, `build.${key} can not be honoured: ${why}`)
    else if (idle.includes(key)) problems.warn(place, `build.${key} has no effect on builds here`)
  }
  const folder = readFolder(build, context)
  const args = readPairs(childOf(build, 'args'), problems).flatMap(({name, value, place}): [string, string][] => {
    const taken = value ?? takeVariable(name, place, context)
    return taken === undefined ? [] : [[name, taken]]
  })
  return {context: folder, ...(await readDockerfile(build, folder, context)), args: toRecord(args), target: readText(childOf(build, 'target'), problems) ?? null}
}

function readFolder(build: MapNode, {problems}: ReadContext): string {
  const node = childOf(build, 'context')
  const text = readText(node, problems) ?? '.'
  if (/^(?:https?:\/\/|git:\/\/|ssh:\/\/|git@|github\.com\/|docker-image:\/\/|oci-layout:\/\/)|\.git(?:#.*)?$/.test(text)) {
    problems.error((node ?? build).place, `${text} is not in the source; deploy that repository as a project of its own, add it as a submodule, or name a published image`)
    return '.'
  }
  const folder = joinSource((node ?? build).place.file.folder, text)
  if (folder === null) problems.error((node ?? build).place, `${text} lies outside of the source; move it into the source`)
  return folder ?? '.'
}

async function readDockerfile(build: MapNode, folder: string, context: ReadContext): Promise<Pick<ComposeBuild, 'dockerfile' | 'dockerfileInline'>> {
  const {problems} = context
  const node = childOf(build, 'dockerfile')
  const inline = readText(childOf(build, 'dockerfile_inline'), problems) ?? null
  if (node !== undefined && inline !== null) problems.error(node.place, 'there is dockerfile and dockerfile_inline; keep one')
  const path = readText(node, problems)
  if (node === undefined || path === undefined || inline !== null) return {dockerfile: 'Dockerfile', dockerfileInline: inline}
  const within = joinSource(folder, path)
  if (within === null) {
    problems.error(node.place, `${path} lies outside of the source; move it into the source`)
    return {dockerfile: 'Dockerfile', dockerfileInline: null}
  }
  const below = relativeTo(folder, within)
  return below.startsWith('..') ? readOutside(within, node, context) : {dockerfile: below, dockerfileInline: null}
}

// The build sees its context only, so a Dockerfile beside it goes along as text.
async function readOutside(path: string, node: TreeNode, {readText: read, problems}: ReadContext): Promise<Pick<ComposeBuild, 'dockerfile' | 'dockerfileInline'>> {
  const text = await read(path)
  if (text === undefined) problems.error(node.place, `there is no file ${path} in the source`)
  return {dockerfile: 'Dockerfile', dockerfileInline: text ?? null}
}
