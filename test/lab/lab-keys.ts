import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {runCommand} from './lab-processes.js'

/** Private keys that every user of a lab lets in: plain, and encrypted with `keyPassphrase`. */
export interface LabKeys {
  readonly key: string
  readonly keyFile: string
  readonly encryptedKey: string
  readonly keyPassphrase: string
  /** Both public keys, one a line. */
  readonly authorizedKeys: string
}

/** Makes the keys in the folder, with their `authorized_keys` beside them. */
export async function makeKeys(folder: string): Promise<LabKeys> {
  const keyPassphrase = 'open sesame'
  await Promise.all([makeKey(join(folder, 'key'), 'ed25519', ''), makeKey(join(folder, 'encrypted'), 'ed25519', keyPassphrase)])
  const [key = '', encryptedKey = '', ...publicKeys] = await Promise.all(['key', 'encrypted', 'key.pub', 'encrypted.pub'].map((name) => readFile(join(folder, name), 'utf8')))
  const authorizedKeys = publicKeys.join('')
  await writeFile(join(folder, 'authorized_keys'), authorizedKeys, {mode: 0o644})
  return {key, keyFile: join(folder, 'key'), encryptedKey, keyPassphrase, authorizedKeys}
}

export async function makeKey(file: string, kind: 'ed25519' | 'rsa' | 'ecdsa', passphrase: string): Promise<void> {
  await runCommand('ssh-keygen', ['-q', '-t', kind, '-N', passphrase, '-f', file])
}

export async function fingerprintOf(keyFile: string): Promise<string> {
  return (await runCommand('ssh-keygen', ['-lf', `${keyFile}.pub`])).split(' ')[1] ?? ''
}
