import type {ComposeImport} from '../catalog/compose-import/import-compose.js'
import type {ImportNote, NoteLevel} from '../catalog/compose-import/import-notes.js'
import type {Paint} from './colour.js'
import {toPrintable} from './display-width.js'

const headings: Readonly<Record<NoteLevel, string>> = {
  lost: 'not carried over',
  check: 'carried over, to be checked by you',
  changed: 'carried over in another form',
}
const meanings = {lost: 'failure', check: 'warning', changed: 'name'} as const

/** What an import made, and what an author should know about it: what was lost first. */
export function importLines({definition, notes}: ComposeImport, paint: Paint): string[] {
  const {services = [], configFields = [], settings = [], files = []} = definition
  const counts = [
    count(services.length, 'service'), count(configFields.length, 'config field'), count(settings.flatMap(({fields}) => fields).length, 'setting'), count(files.length, 'file'),
  ]
  return [`${toPrintable(definition.id)}: ${counts.filter((text) => !text.startsWith('0 ')).join(', ')}`, ...(['lost', 'check', 'changed'] as const).flatMap((level) => section(level, notes, paint))]
}

function section(level: NoteLevel, notes: readonly ImportNote[], paint: Paint): string[] {
  const own = notes.filter((note) => note.level === level)
  return own.length === 0 ? [] : ['', paint(meanings[level], `${headings[level]}:`), ...own.flatMap((note) => noteLines(note, paint))]
}

function noteLines({service, key, why, todo}: ImportNote, paint: Paint): string[] {
  return [`  ${toPrintable(`${service === null ? '' : `${service}: `}${key}: ${why}`)}`, ...(todo.startsWith('nothing') ? [] : [paint('hint', `    ${toPrintable(todo)}`)])]
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`
