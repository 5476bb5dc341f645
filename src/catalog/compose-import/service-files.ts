import type {ComposeService} from './compose-services.js'
import {fieldsOf, scalarText, type Fields} from './compose-value.js'
import type {DraftEntry, DraftFileParts, Parts} from './draft-service.js'
import type {ImportContext} from './import-context.js'
import {parseInterpolation} from './interpolation.js'
import {insideFolder} from './project-folder.js'
import {readGrants} from './service-volumes.js'
import {literalText} from './variable-uses.js'

/** Files that a service is given by `configs`. */
export function readConfigs({name, fields}: ComposeService, compose: Fields, context: ImportContext): DraftFileParts[] {
  const declared = fieldsOf(compose['configs'])
  return readGrants(fields['configs'], '/').flatMap(({source, target}) => {
    const parts = contentOf(fieldsOf(declared[source]), context)
    if (parts !== undefined && context.budget.take([JSON.stringify(parts)])) return [{path: target, parts}]
    context.notes.add({level: 'lost', service: name, key: 'configs', why: `the content of ${source} can not be had`, todo: 'give its text in files'})
    return []
  })
}

function contentOf(declared: Fields, {folder}: ImportContext): Parts | undefined {
  const [content, variable, file] = [scalarText(declared['content']), scalarText(declared['environment']), scalarText(declared['file'])]
  if (content !== undefined) return parseInterpolation(content)
  if (variable !== undefined) return [{name: variable, operator: '', argument: []}]
  const path = file === undefined ? undefined : insideFolder(file)
  const entry = path === undefined ? undefined : folder.read(path)
  return entry?.kind === 'text' ? [entry.text] : undefined
}

export interface ServiceSecrets {
  readonly environment: readonly DraftEntry[]
  readonly files: readonly DraftFileParts[]
  /** Variables that hold them from now on. */
  readonly variables: readonly string[]
}

/** Secrets that Compose mounts as files: where a variable names the file, the value goes into the variable of the same name without _FILE; else it is a file again. */
export function readSecrets({name, fields}: ComposeService, compose: Fields, environment: readonly DraftEntry[], {notes}: ImportContext): ServiceSecrets {
  const declared = fieldsOf(compose['secrets'])
  const grants = readGrants(fields['secrets'], '/run/secrets/')
  const entries = [...environment]
  const files: DraftFileParts[] = []
  const variables = grants.map(({source, target}) => {
    const variable = scalarText(fieldsOf(declared[source])['environment']) ?? source.toUpperCase().replace(/[^A-Z0-9_]+/g, '_').replace(/^(?=\d)/, '_')
    const parts: Parts = [{name: variable, operator: '', argument: []}]
    const at = entries.findIndex(({key, parts: value}) => /_FILE$/i.test(key) && literalText(value) === target)
    const key = entries[at]?.key.replace(/_{1,2}FILE$/i, '')
    if (key === undefined) files.push({path: target, parts})
    else entries.splice(at, 1, {key, parts})
    const why = `the secret ${source} ${key === undefined ? `is a file with a generated value, at ${target}` : `became the value of ${key}`}`
    notes.add({level: 'changed', service: name, key: 'secrets', why, todo: key === undefined ? 'nothing' : `check that the image reads ${key} as it reads ${key}_FILE`})
    return variable
  })
  return {environment: entries, files, variables}
}
