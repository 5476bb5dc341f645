import {Fault} from '../../src/contract/faults.js'
import {shellOwnedNames} from '../../src/contract/shell-names.js'

// The one place that quotes for a POSIX shell. Everything that is sent to a server as text goes through here.

const plainWord = /^[A-Za-z0-9_@%+=:,./-]+$/

/** One word of POSIX sh that stands for exactly this text, newlines and all. */
export function shellWord(text: string): string {
  if (text.includes('\0')) throw new Fault('VALIDATION_ERROR', 'a command or variable can not hold a NUL byte')
  // A plain word may still be an assignment (a=b) or, for some shells, a tilde or equals expansion.
  if (plainWord.test(text) && !text.includes('=')) return text
  return quoted(text)
}

/** An argument list as the text of one simple command. */
export function shellCommand(words: readonly string[]): string {
  if (words.length === 0) throw new Fault('VALIDATION_ERROR', 'the command is empty')
  // A reserved word or alias in command position is only itself when quoted.
  const [first = '', ...rest] = words
  return [first.includes('/') ? shellWord(first) : quotedWord(first), ...rest.map(shellWord)].join(' ')
}

/** A quoted word on one line, for text that `read -r` takes in; the variable m_nl must hold a newline. */
export function shellLine(text: string): string {
  return quotedWord(text).replaceAll('\n', `'"$m_nl"'`)
}

function quotedWord(text: string): string {
  if (text.includes('\0')) throw new Fault('VALIDATION_ERROR', 'a command or variable can not hold a NUL byte')
  return quoted(text)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

const shellOwned: ReadonlySet<string> = new Set(shellOwnedNames)

/** `export NAME=value` statements, in the order given. */
export function shellExports(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => {
    if (!variableName.test(name)) throw new Fault('VALIDATION_ERROR', `${JSON.stringify(name)} is not the name of an environment variable`)
    if (shellOwned.has(name)) throw new Fault('VALIDATION_ERROR', `the variable ${name} belongs to the shell and can not be set`)
    return `export ${name}=${quotedWord(value)}`
  })
}
