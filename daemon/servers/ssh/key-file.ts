import {open, realpath} from 'node:fs/promises'
import path from 'node:path'
import {Fault} from '../../../src/contract/faults.js'

const maxKeyBytes = 65_536

/** Folders that private keys may be read from: the daemon user's ~/.ssh, the keys folder of its home, and what the operator named. */
export function keyRoots(places: {readonly userHome: string; readonly moorageHome: string; readonly configured: readonly string[]}): string[] {
  return [path.join(places.userHome, '.ssh'), path.join(places.moorageHome, 'keys'), ...places.configured]
}

/** Whether a key path may be stored at all; what it leads to is looked at each time it is used. */
export function checkKeyPath(keyPath: string): void {
  if (keyPath.includes('\0') || !path.isAbsolute(keyPath) || keyPath.split('/').includes('..')) {
    throw new Fault('KEY_PATH_NOT_ALLOWED', 'the key path must be absolute, without .. in it')
  }
}

export type KeyFile = {readonly text: string} | {readonly problem: 'key_missing' | 'key_path_invalid' | 'key_invalid'; readonly message: string}

/** Reads a private key from one of the roots, after following symbolic links. */
export async function readKeyFile(keyPath: string, roots: readonly string[]): Promise<KeyFile> {
  checkKeyPath(keyPath)
  let real: string
  try {
    real = await realpath(keyPath)
  } catch {
    // A file that is not there says nothing about places outside the roots.
    if (!isUnder(path.normalize(keyPath), roots)) throw outside(keyPath)
    return {problem: 'key_missing', message: `there is no key file ${keyPath}`}
  }
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => root)))
  if (!isUnder(real, realRoots)) throw outside(keyPath)
  let file
  try {
    file = await open(real, 'r')
  } catch (error) {
    return {problem: 'key_path_invalid', message: `the key file ${keyPath} can not be read: ${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'}`}
  }
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return {problem: 'key_path_invalid', message: `${keyPath} is not a file`}
    if (stats.size > maxKeyBytes) return {problem: 'key_invalid', message: `${keyPath} is too large for a private key`}
    const text = await file.readFile('utf8')
    if (!looksPrivate(text)) return {problem: 'key_invalid', message: `${keyPath} holds no private key`}
    return {text}
  } finally {
    await file.close()
  }
}

export function looksPrivate(text: string): boolean {
  return /^\s*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/.test(text) || /^\s*PuTTY-User-Key-File-/.test(text)
}

function isUnder(file: string, roots: readonly string[]): boolean {
  return roots.some((root) => file.startsWith(root.endsWith('/') ? root : `${root}/`))
}

function outside(keyPath: string): Fault {
  return new Fault('KEY_PATH_NOT_ALLOWED', `${keyPath} lies outside the folders that keys may be read from`, {
    details: {hint: 'put the key under ~/.ssh of the daemon user or under keys/ of its home, paste it, or name its folder in sshKeyRoots'},
  })
}
