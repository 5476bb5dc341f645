import {readFile} from 'node:fs/promises'
import type {Variables} from '../config/environment.js'
import {Fault} from '../contract/faults.js'

/** `NAME=value` pairs; the value may hold `=` and may be empty. */
export function parsePairs(texts: readonly string[], flag: string): Record<string, string> {
  const pairs = texts.map((text) => {
    const at = text.indexOf('=')
    if (at < 1) throw new Fault('USAGE', `${flag} takes NAME=value, not ${JSON.stringify(at === -1 ? text : '=…')}`, {details: {flag}})
    return [text.slice(0, at), text.slice(at + 1)] as const
  })
  const names = pairs.map(([name]) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Fault('USAGE', `${flag} names ${twice} twice`, {details: {flag}})
  return Object.fromEntries(pairs)
}

/** A secret that the environment of the command holds. */
export function secretFromVariable(variables: Variables, variable: string, said: string): string {
  const value = variables[variable]
  if (value === undefined) throw new Fault('USAGE', `${said}: the environment variable ${variable} is not set`, {details: {variable}})
  return value
}

/** A secret that a file holds, without the line ending at its end. */
export async function secretFromFile(file: string, said: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '')
  } catch (error) {
    throw new Fault('USAGE', `${said}: can not read ${file}`, {details: {file}, cause: error})
  }
}

/** `--secret NAME` and `--secret-file NAME=path` as one map. */
export async function readSecrets(names: readonly string[], files: readonly string[], variables: Variables): Promise<Record<string, string>> {
  const secrets = Object.fromEntries(names.map((name) => [name, secretFromVariable(variables, name, `--secret ${name}`)]))
  for (const [name, file] of Object.entries(parsePairs(files, '--secret-file'))) {
    if (Object.hasOwn(secrets, name)) throw new Fault('USAGE', `--secret and --secret-file both name ${name}`)
    secrets[name] = await secretFromFile(file, `--secret-file ${name}`)
  }
  return secrets
}
