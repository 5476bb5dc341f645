import type {ComposeProject, ComposeService, ReadCompose, ReadComposeOptions} from '../../../src/compose/compose-model.js'
import {readCompose} from '../../../src/compose/read-compose.js'

export type ReadInput = Partial<Omit<ReadComposeOptions, 'readText' | 'text'>> & {readonly files?: Readonly<Record<string, string>>}

/** Reads a Compose text with other files of its source in memory. */
export async function read(text: string, {files = {}, ...options}: ReadInput = {}): Promise<ReadCompose> {
  return readCompose({path: 'compose.yml', variables: {}, profiles: [], ...options, text, readText: async (path) => (Object.hasOwn(files, path) ? files[path] : undefined)})
}

export async function project(text: string, input?: ReadInput): Promise<ComposeProject> {
  const result = await read(text, input)
  if (result.project === null) throw new Error(`not readable: ${told(result).join('\n')}`)
  return result.project
}

/** The only service of a project, or the one of a name. */
export async function service(text: string, input: ReadInput & {readonly name?: string} = {}): Promise<ComposeService> {
  const {name, ...rest} = input
  const {services} = await project(text, rest)
  const found = name === undefined ? services[0] : services.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no service ${name ?? ''}`)
  return found
}

/** Reads the keys of one service `a`, indented by hand. */
export async function keys(body: string, input: ReadInput & {readonly top?: string} = {}): Promise<ComposeService> {
  const {top = '', ...rest} = input
  return service(one(body, top), {name: 'a', ...rest})
}

export function one(body: string, top = ''): string {
  const image = /^\s*(?:image|build):/m.test(body) ? '' : '    image: busybox\n'
  return `services:\n  a:\n${image}${indent(body)}\n${top}`
}

export function indent(body: string): string {
  const lines = body.split('\n').filter((line) => line.trim() !== '')
  const shift = Math.min(...lines.map((line) => /^ */.exec(line)?.[0].length ?? 0))
  return lines.map((line) => `    ${line.slice(shift)}`).join('\n')
}

/** Problems in short, as `compose.yml:3:5 error /services/a message`. */
export function told({problems}: ReadCompose): string[] {
  return problems.map(({file, line, column, severity, path, message}) => `${file}:${line}:${column} ${severity} ${path} ${message}`)
}

export async function errors(text: string, input?: ReadInput): Promise<string[]> {
  const result = await read(text, input)
  return result.problems.filter(({severity}) => severity === 'error').map(({message}) => message)
}

export async function warnings(text: string, input?: ReadInput): Promise<string[]> {
  const result = await read(text, input)
  return result.problems.filter(({severity}) => severity === 'warning').map(({message}) => message)
}
