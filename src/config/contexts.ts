import {readFile, stat} from 'node:fs/promises'
import {parseApiUrl} from '../client/api-url.js'
import {Fault} from '../contract/faults.js'
import {writePrivateFile} from './private-file.js'

/** An instance and how to sign in to it. Members this release does not know are kept. */
export interface Context {
  readonly url: string
  readonly token?: string
  readonly organization?: string
  readonly [other: string]: unknown
}

export interface Contexts {
  readonly current: string | null
  readonly contexts: Readonly<Record<string, Context>>
  readonly [other: string]: unknown
}

const none: Contexts = {current: null, contexts: {}}

/** Reads the contexts file; a missing one holds none, a damaged one is never taken for that. */
export async function readContexts(file: string): Promise<Contexts> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return none
    throw new Fault('CONFIGURATION', `can not read ${file}`, {details: {file}, cause: error})
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw damaged(file, 'it is not JSON', error)
  }
  return parseContexts(value, file)
}

/** Writes the file whole, 0600, and drops nothing it held. */
export async function writeContexts(file: string, contexts: Contexts): Promise<void> {
  try {
    await writePrivateFile(file, `${JSON.stringify(contexts, null, 2)}\n`)
  } catch (error) {
    throw new Fault('CONFIGURATION', `can not write ${file}`, {details: {file}, cause: error})
  }
}

/** Whether others than the owner may read the file. */
export async function isExposed(file: string): Promise<boolean> {
  try {
    return ((await stat(file)).mode & 0o077) !== 0
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

export function parseContextName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name) && name !== '__proto__') return name
  throw new Fault('USAGE', `a context is named with letters, digits, dot, hyphen and underscore, not ${JSON.stringify(name)}`)
}

/** The context of a name; `source` says who named it. */
export function getContext(contexts: Contexts, name: string, source: string): Context {
  const context = Object.hasOwn(contexts.contexts, name) ? contexts.contexts[name] : undefined
  if (context !== undefined) return context
  throw new Fault('CONFIGURATION', `${source} names the context ${name}, which is not there`, {
    details: {context: name, known: Object.keys(contexts.contexts)}, suggestions: ['context list', `login --name ${name}`],
  })
}

export function withContext(contexts: Contexts, name: string, context: Context, makeCurrent: boolean): Contexts {
  return {...contexts, current: makeCurrent ? name : contexts.current, contexts: {...contexts.contexts, [name]: context}}
}

export function withoutContext(contexts: Contexts, name: string): Contexts {
  const left = Object.fromEntries(Object.entries(contexts.contexts).filter(([other]) => other !== name))
  return {...contexts, current: contexts.current === name ? null : contexts.current, contexts: left}
}

function parseContexts(value: unknown, file: string): Contexts {
  if (!isRecord(value)) throw damaged(file, 'it does not hold an object')
  const {current = null, contexts = {}} = value
  if (current !== null && typeof current !== 'string') throw damaged(file, 'current is not a name')
  if (!isRecord(contexts)) throw damaged(file, 'contexts is not an object')
  const parsed = Object.entries(contexts).map(([name, context]) => [name, parseContext(context, `contexts.${name}`, file)] as const)
  return {...value, current, contexts: Object.fromEntries(parsed)}
}

function parseContext(value: unknown, where: string, file: string): Context {
  if (!isRecord(value)) throw damaged(file, `${where} is not an object`)
  const {url, token, organization} = value
  if (typeof url !== 'string') throw damaged(file, `${where}.url is missing`)
  if (token !== undefined && typeof token !== 'string') throw damaged(file, `${where}.token is not text`)
  if (organization !== undefined && typeof organization !== 'string') throw damaged(file, `${where}.organization is not text`)
  return {...value, url: parseApiUrl(url, `${where}.url in ${file}`), ...(token !== undefined && {token}), ...(organization !== undefined && {organization})}
}

function damaged(file: string, what: string, cause?: unknown): Fault {
  return new Fault('CONFIGURATION', `the contexts file ${file} is damaged: ${what}; repair it or move it away`, {details: {file}, cause})
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
