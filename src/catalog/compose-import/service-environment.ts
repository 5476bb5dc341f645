import {parseEnvFile} from '../../compose/dotenv.js'
import type {ComposeService} from './compose-services.js'
import {isFields, listOf, pairsOf, scalarText} from './compose-value.js'
import type {DraftEntry} from './draft-service.js'
import type {ImportContext} from './import-context.js'
import {parseInterpolation} from './interpolation.js'
import {insideFolder} from './project-folder.js'

/** Environment of a service with its references: files first, what stands in the service wins. A key without a value is the variable of its name. */
export function readEnvironment(service: ComposeService, context: ImportContext): DraftEntry[] {
  const entries = [...readEnvFiles(service, context), ...pairsOf(service.fields['environment'])]
  const all = new Map<string, DraftEntry>()
  for (const [key, value] of entries) {
    if (!/^[^=\s]+$/.test(key)) {
      context.notes.add({level: 'lost', service: service.name, key: 'environment', why: `${JSON.stringify(key)} is no name of a variable`, todo: 'correct it'})
      continue
    }
    all.set(key, {key, parts: value === null ? [{name: key, operator: '', argument: []}] : parseInterpolation(value)})
  }
  return [...all.values()]
}

function readEnvFiles({name, fields}: ComposeService, {folder, notes}: ImportContext): [string, string][] {
  return listOf(fields['env_file']).flatMap((entry) => {
    const file = (isFields(entry) ? scalarText(entry['path']) : scalarText(entry)) ?? ''
    const path = insideFolder(file)
    const found = path === undefined ? undefined : folder.read(path)
    if (found?.kind === 'text') return [...parseEnvFile(found.text).values]
    if (!isFields(entry) || entry['required'] !== false) {
      notes.add({level: 'lost', service: name, key: 'env_file', why: `${file} can not be read`, todo: 'write its values into environment, configFields or settings'})
    }
    return []
  })
}
