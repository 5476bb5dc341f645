import {invalidInput, type Fault} from '../contract/faults.js'

interface FieldRule {
  readonly name: string
  readonly min: number
  readonly max: number
  /** Three-letter names, the first standing for `min`. */
  readonly names?: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const seconds: FieldRule = {name: 'second', min: 0, max: 59}
const dayOfMonth: FieldRule = {name: 'day of month', min: 1, max: 31}
const dayOfWeek: FieldRule = {name: 'day of week', min: 0, max: 7, names: weekdays}
const fiveFields: readonly FieldRule[] = [
  {name: 'minute', min: 0, max: 59},
  {name: 'hour', min: 0, max: 23},
  dayOfMonth,
  {name: 'month', min: 1, max: 12, names: months},
  dayOfWeek,
]

const aliases: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

/** A refusal of an expression, as a bad input field. */
export function badSchedule(message: string): Fault {
  return invalidInput([{path: '/cronExpression', message}])
}

/** Checks an expression field by field and answers its fields, names turned into numbers. Aliases are rewritten first. */
export function splitFields(expression: string): string[] {
  const text = expression.trim()
  if (text === '') throw badSchedule('is blank; give five fields, such as 30 2 * * *')
  if (text.startsWith('@') && !aliases.has(text)) {
    throw badSchedule(`${text} is not an alias; there are ${[...aliases.keys()].join(', ')}`)
  }
  const parts = (aliases.get(text) ?? text).split(/\s+/)
  if (parts.length !== 5 && parts.length !== 6) {
    throw badSchedule(`has ${parts.length} ${parts.length === 1 ? 'field' : 'fields'}; give five (minute hour day month weekday), or six with seconds first`)
  }
  const rules = parts.length === 6 ? [seconds, ...fiveFields] : fiveFields
  return rules.map((rule, index) => checkField(rule, parts[index] ?? ''))
}

function checkField(rule: FieldRule, text: string): string {
  const isDay = rule === dayOfMonth || rule === dayOfWeek
  if (text === '?' && isDay) return '*'
  if (/^h([(/]|$)/i.test(text)) throw refusal(rule, text, 'H is not known here; name a value')
  const items = text.split(',')
  if (items.length > 1 && text.includes('#')) throw refusal(rule, text, 'a day with # stands alone')
  return items.map((item) => checkItem(rule, item, text)).join(',')
}

function checkItem(rule: FieldRule, item: string, text: string): string {
  if (item === '') throw refusal(rule, text, 'a list has an empty place')
  if (rule === dayOfMonth && item.toUpperCase() === 'L') return 'L'
  if (rule === dayOfWeek) {
    const special = checkWeekday(rule, item)
    if (special !== undefined) return special
  }
  const [range = '', step, ...more] = item.split('/')
  if (more.length > 0) throw refusal(rule, item, 'has more than one step')
  const checked = checkRange(rule, range, item)
  return step === undefined ? checked : withStep(rule, checked, checkStep(rule, step, item))
}

function withStep(rule: FieldRule, range: string, step: number): string {
  const [from = rule.min, to = rule.max] = range === '*' ? [] : range.split('-').map(Number)
  // A step past the end leaves the first value alone. Written so, the words for it are true: "every 90 minutes" would not be.
  return step > to - from ? String(from) : `${range}/${step}`
}

/** `5L` and `FRI#2`; undefined for anything else. */
function checkWeekday(rule: FieldRule, item: string): string | undefined {
  const match = /^([a-z]{3}|\d+)(?:#(.*)|L)$/i.exec(item)
  if (match === null) return undefined
  const day = toValue(rule, match[1] ?? '', item) % 7
  const nth = match[2]
  if (nth === undefined) return `${day}L`
  if (!/^[1-5]$/.test(nth)) throw refusal(rule, item, 'the number after # is 1 to 5')
  return `${day}#${nth}`
}

function checkRange(rule: FieldRule, range: string, item: string): string {
  if (range === '*') return '*'
  const [first = '', last, ...more] = range.split('-')
  if (more.length > 0) throw refusal(rule, item, 'is not a range')
  const from = toValue(rule, first, item)
  if (last === undefined) return String(from)
  const isSunday = rule === dayOfWeek && last.toLowerCase() === 'sun'
  const to = isSunday ? 7 : toValue(rule, last, item)
  if (to < from) throw refusal(rule, item, 'the range runs backwards')
  return `${from}-${to}`
}

function checkStep(rule: FieldRule, step: string, item: string): number {
  if (!/^\d{1,4}$/.test(step)) throw refusal(rule, item, 'the step is not a number')
  const value = Number(step)
  if (value === 0) throw refusal(rule, item, 'the step is 0')
  return value
}

function toValue(rule: FieldRule, word: string, item: string): number {
  const named = rule.names?.indexOf(word.toLowerCase()) ?? -1
  if (named >= 0) return named + rule.min
  if (!/^\d{1,4}$/.test(word)) throw refusal(rule, item, rule.names === undefined ? 'is not a number' : 'is neither a number nor a name')
  const value = Number(word)
  if (value < rule.min || value > rule.max) throw refusal(rule, item, `${value} is not within ${rule.min} to ${rule.max}`)
  return value
}

function refusal(rule: FieldRule, text: string, why: string): Fault {
  return badSchedule(`${rule.name} ${JSON.stringify(text)}: ${why}`)
}
