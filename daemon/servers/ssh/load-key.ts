import type {ParsedKey} from 'ssh2'
import {connectFault, type FailureSubject} from './connect-failure.js'
import {readKeyFile} from './key-file.js'

/** The private key of a hop, parsed: pasted text before a file. Undefined where it has none. */
export async function loadPrivateKey(subject: FailureSubject, keyFolders: readonly string[]): Promise<ParsedKey | undefined> {
  const {credentials} = subject.hop
  if (credentials.method !== null && credentials.method !== 'key') return undefined
  const text = credentials.privateKey ?? (await readFileOf(subject, keyFolders))
  if (text === undefined) {
    if (credentials.method === 'key') throw connectFault(subject, 'key_missing', 'no private key is stored for it')
    return undefined
  }
  const {default: ssh2} = await import('ssh2')
  const parsed = ssh2.utils.parseKey(text, credentials.passphrase ?? undefined)
  if (parsed instanceof Error) throw connectFault(subject, 'key_invalid', `its private key can not be used (${reasonOf(parsed, credentials.passphrase)})`, parsed)
  // A file may hold several keys; the first is the one ssh takes.
  const [key] = [parsed].flat()
  if (key === undefined || !key.isPrivateKey()) throw connectFault(subject, 'key_invalid', 'what is stored as its private key is a public key')
  return key
}

async function readFileOf(subject: FailureSubject, keyFolders: readonly string[]): Promise<string | undefined> {
  const {keyPath} = subject.hop.credentials
  if (keyPath === null) return undefined
  const file = await readKeyFile(keyPath, keyFolders)
  if ('text' in file) return file.text
  throw connectFault(subject, file.problem, file.message)
}

// The parser's own words are for programmers.
function reasonOf(error: Error, passphrase: string | null): string {
  if (/no passphrase/i.test(error.message)) return 'it is encrypted and no passphrase is stored'
  if (/passphrase|integrity|decrypt/i.test(error.message)) return passphrase === null ? 'it is encrypted and no passphrase is stored' : 'the passphrase does not fit'
  return 'its form is not known'
}
