import {buildFolder} from '../build-folder.js'
import type {Service} from '../definition.js'
import type {ComposeService} from './compose-services.js'
import {isFields, pairsOf, scalarText} from './compose-value.js'
import {globPattern, inlineDockerfile, type InlinedDockerfile} from './dockerfile.js'
import {plainText, type ImportContext} from './import-context.js'
import {folderLimits, insideFolder} from './project-folder.js'

type Build = NonNullable<Service['build']>

const known = new Set(['context', 'dockerfile', 'dockerfile_inline', 'args', 'target'])

/** The build of a service with the files that it copies; undefined, after saying why, where it can not be carried. */
export function readBuild({name, fields}: ComposeService, context: ImportContext): Build | undefined {
  const text = (value: unknown) => plainText(value, {service: name, key: 'build'}, context)
  const build = isFields(fields['build']) ? fields['build'] : {context: fields['build']}
  const root = text(build['context']) ?? '.'
  const refuse = (why: string): undefined => {
    context.notes.add({level: 'lost', service: name, key: 'build', why, todo: 'publish the image, and write its name and version into image'})
  }
  const inside = insideFolder(root.replace(/\/$/, ''))
  if (inside === undefined || /^[a-z+]+:\/\/|^git@|\.git(?:#|$)/.test(root)) return refuse(`its context, ${root}, lies outside of the folder of the Compose file`)
  const dockerfile = readDockerfile({inside, file: text(build['dockerfile']) ?? 'Dockerfile', inline: text(build['dockerfile_inline'])}, context)
  if (dockerfile === undefined) return refuse(`there is no Dockerfile in ${root}`)
  const listed = context.folder.read(inside)
  const available = listed.kind === 'folder' ? listed.files : []
  const args = new Map(pairsOf(build['args']).flatMap(([key, value]) => (value === null ? [] : [[key, text(value) ?? ''] as const])))
  const inlined = inlineDockerfile(dockerfile, {folder: buildFolder(name), available: withoutIgnored(available, inside, context), args, target: scalarText(build['target'])})
  noteBuild(name, build, inlined, context)
  if (listed.kind === 'folder' && listed.isCut && inlined.used.length > 0) return refuse(`${root} holds more than ${folderLimits.files} files`)
  return takeFiles({inside, name, inlined}, context, refuse)
}

function readDockerfile({inside, file, inline}: {inside: string; file: string; inline: string | undefined}, {folder}: ImportContext): string | undefined {
  if (inline !== undefined) return inline
  const path = insideFolder(inside === '' ? file : `${inside}/${file}`)
  const entry = path === undefined ? undefined : folder.read(path)
  return entry?.kind === 'text' && entry.text.trim() !== '' ? entry.text : undefined
}

function withoutIgnored(files: readonly string[], inside: string, {folder}: ImportContext): string[] {
  const entry = folder.read(inside === '' ? '.dockerignore' : `${inside}/.dockerignore`)
  const lines = entry.kind === 'text' ? entry.text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#')) : []
  const rules = lines.map((line) => ({isKept: line.startsWith('!'), pattern: new RegExp(`^${globPattern(line.replace(/^!/, '').replace(/^\/+|\/+$/g, ''))}(?:/|$)`)}))
  return files.filter((file) => {
    const last = rules.findLast(({pattern}) => pattern.test(file))
    return last === undefined || last.isKept
  })
}

function noteBuild(service: string, build: Readonly<Record<string, unknown>>, inlined: InlinedDockerfile, {notes}: ImportContext): void {
  for (const key of Object.keys(build)) {
    if (known.has(key) || key.startsWith('x-')) continue
    notes.add({level: 'lost', service, key: `build.${key}`, why: 'a build block holds a Dockerfile and files', todo: 'write it into the Dockerfile, where it is needed'})
  }
  for (const name of inlined.undeclared) notes.add({level: 'lost', service, key: 'build.args', why: `the Dockerfile has no ARG ${name}`, todo: 'nothing'})
  for (const source of inlined.missing) notes.add({level: 'check', service, key: 'build', why: `the Dockerfile copies ${source || 'its folder'}, and there is nothing`, todo: 'write it into build.files'})
  if (inlined.mountsContext) notes.add({level: 'check', service, key: 'build', why: 'RUN mounts files of the context', todo: `write ${buildFolder(service)}/ before their paths`})
}

interface Found {
  readonly inside: string
  readonly name: string
  readonly inlined: InlinedDockerfile
}

function takeFiles({inside, name, inlined}: Found, {folder, budget, notes}: ImportContext, refuse: (why: string) => undefined): Build | undefined {
  const files: {path: string; content: string}[] = []
  for (const path of inlined.used) {
    const entry = folder.read(inside === '' ? path : `${inside}/${path}`)
    if (entry.kind !== 'text') return refuse(`${path} can not be carried: ${entry.kind === 'refused' ? entry.why : 'it is no file'}`)
    files.push({path, content: entry.text})
  }
  if (!budget.take([inlined.text, ...files.map(({content}) => content)])) return refuse('with its files the definition would be too large')
  notes.add({level: 'changed', service: name, key: 'build', why: `the Dockerfile and ${files.length} of its files were copied into the definition`, todo: 'import it again after changes, or publish the image'})
  return {dockerfile: inlined.text, ...(files.length > 0 && {files})}
}
