import type {JobChange} from '../contract/job.js'
import type {Paint} from './colour.js'

const signs = {create: '+', update: '~', delete: '-', conflict: '!', left: '?', unchanged: '='} as const
const meanings = {create: 'success', update: 'warning', delete: 'failure', conflict: 'failure', left: 'hint', unchanged: 'hint'} as const
const remarks = {create: '', update: '', delete: '', conflict: ' was made otherwise: --adopt takes it over', left: ' is not named any more: --prune deletes it', unchanged: ''} as const
const longestValue = 60

type Change = Pick<JobChange, 'action' | 'name' | 'fields'>

/** What a file would change, a line a thing and a line a field. */
export function planLines(changes: readonly Change[], paint: Paint): string[] {
  return changes
    .filter(({action}) => action !== 'unchanged')
    .flatMap(({action, name, fields}) => [
      paint(meanings[action], `${signs[action]} ${name}${remarks[action]}`),
      ...(action === 'update' ? fields.map(({field, from, to}) => `    ${field}: ${valueText(from)} → ${valueText(to)}`) : []),
    ])
}

export function planSummary(changes: readonly Pick<Change, 'action'>[]): string {
  const count = (action: JobChange['action']) => changes.filter((change) => change.action === action).length
  return `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete, ${count('unchanged')} as they are`
}

export function changesSomething(changes: readonly Pick<Change, 'action'>[]): boolean {
  return changes.some(({action}) => action === 'create' || action === 'update' || action === 'delete')
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  const text = JSON.stringify(value)
  return text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text
}
