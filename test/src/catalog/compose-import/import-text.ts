import {stringify} from 'yaml'
import {importCompose, type ComposeImport, type ComposeInput} from '../../../../src/catalog/compose-import/import-compose.js'
import type {FolderEntry, ProjectFolder} from '../../../../src/catalog/compose-import/project-folder.js'
import {lintDefinition} from '../../../../src/catalog/lint/lint-definition.js'

export interface Extra {
  readonly files?: Readonly<Record<string, string>>
  readonly variables?: Readonly<Record<string, string>>
  readonly profiles?: readonly string[]
  readonly identity?: NonNullable<ComposeInput['identity']>
}

/** Imports a Compose file, given as text or as its services, from a folder that is only in memory. The linter has no error to tell of the result. */
export function importText(compose: string | object, {files = {}, variables = {}, ...rest}: Extra = {}): ComposeImport {
  const text = typeof compose === 'string' ? compose : stringify(compose)
  const result = importCompose({text, file: 'compose.yml', folder: folderOf(files), variables: new Map(Object.entries(variables)), fallbackName: 'shop', ...rest})
  const errors = lintDefinition(JSON.stringify(result.definition)).findings.filter(({severity}) => severity === 'error')
  if (errors.length > 0) throw new Error(`the linter refuses it: ${JSON.stringify(errors)}`)
  return result
}

/** The one service of a Compose file that has one. */
export function importService(service: object, extra: Extra = {}) {
  const {definition, notes} = importText({services: {web: {image: 'nginx:1.29.0', ...service}}}, extra)
  const [web] = definition.services ?? []
  if (web === undefined) throw new Error('the service is gone')
  return {web, definition, notes, lost: notes.filter(({level}) => level === 'lost').map(({key}) => key)}
}

function folderOf(files: Readonly<Record<string, string>>): ProjectFolder {
  return {
    read(path): FolderEntry {
      const text = Object.hasOwn(files, path) ? files[path] : undefined
      if (text !== undefined) return {kind: 'text', text}
      const inside = Object.keys(files).flatMap((file) => (path === '' ? [file] : file.startsWith(`${path}/`) ? [file.slice(path.length + 1)] : []))
      return inside.length === 0 ? {kind: 'missing'} : {kind: 'folder', files: inside, isCut: false}
    },
  }
}
