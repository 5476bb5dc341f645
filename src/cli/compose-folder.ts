import {readdirSync, readFileSync, realpathSync, statSync} from 'node:fs'
import path from 'node:path'
import {folderLimits, type FolderEntry, type ProjectFolder} from '../catalog/compose-import/project-folder.js'

const skipped = new Set(['.git', '.hg', '.svn', 'node_modules', '.DS_Store'])

/** A folder on disk. Links that lead out of it are refused like any other path that does. */
export function openComposeFolder(folder: string): ProjectFolder {
  const root = realpathSync(folder)
  return {read: (inside) => readEntry(root, inside)}
}

function readEntry(root: string, inside: string): FolderEntry {
  try {
    const real = realpathSync(path.join(root, inside))
    if (real !== root && !real.startsWith(root.endsWith(path.sep) ? root : root + path.sep)) return {kind: 'refused', why: 'it leads out of the folder of the Compose file'}
    const stats = statSync(real)
    if (stats.isDirectory()) return listFolder(real)
    if (!stats.isFile()) return {kind: 'refused', why: 'it is no regular file'}
    if (stats.size > folderLimits.fileBytes) return {kind: 'refused', why: `it is larger than ${folderLimits.fileBytes.toLocaleString('en')} bytes`}
    return readText(real)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return {kind: 'missing'}
    return {kind: 'refused', why: `it can not be read (${error instanceof Error ? error.message : String(error)})`}
  }
}

function readText(file: string): FolderEntry {
  const bytes = readFileSync(file)
  try {
    const text = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes)
    return text.includes('\0') ? {kind: 'refused', why: 'it is no text'} : {kind: 'text', text}
  } catch {
    return {kind: 'refused', why: 'it is no text'}
  }
}

function listFolder(folder: string): FolderEntry {
  const files: string[] = []
  const open = ['']
  for (let inside = open.shift(); inside !== undefined; inside = open.shift()) {
    for (const entry of readdirSync(path.join(folder, inside), {withFileTypes: true}).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (skipped.has(entry.name)) continue
      const name = inside === '' ? entry.name : `${inside}/${entry.name}`
      if (entry.isDirectory()) open.push(name)
      else files.push(name)
      if (files.length > folderLimits.files) return {kind: 'folder', files: files.slice(0, folderLimits.files), isCut: true}
    }
  }
  return {kind: 'folder', files: files.toSorted(), isCut: false}
}
