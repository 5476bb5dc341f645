import type {Healthcheck} from '../definition.js'
import {parseDurationNs} from '../durations.js'
import type {ComposeService} from './compose-services.js'
import {isFields, listOf, scalarText} from './compose-value.js'
import type {DraftWords} from './draft-service.js'
import {plainText, type ImportContext} from './import-context.js'
import {parseInterpolation} from './interpolation.js'

export interface ServiceHealth {
  /** All of the check except its command. */
  readonly healthcheck: Healthcheck | undefined
  readonly test: DraftWords | undefined
}

const known = new Set(['test', 'interval', 'timeout', 'retries', 'start_period', 'disable'])

export function readHealthcheck({name, fields}: ComposeService, context: ImportContext): ServiceHealth {
  const check = fields['healthcheck']
  if (!isFields(check)) return {healthcheck: undefined, test: undefined}
  const lost = (key: string, why: string) => context.notes.add({level: 'lost', service: name, key: `healthcheck.${key}`, why, todo: 'nothing, in most cases'})
  for (const key of Object.keys(check)) if (!known.has(key) && !key.startsWith('x-')) lost(key, 'the format has no such key')
  const time = (key: string): string | undefined => {
    const text = plainText(check[key], {service: name, key: 'healthcheck'}, context)?.replaceAll(/\s/g, '')
    if (text === undefined || text === '' || parseDurationNs(text) !== undefined) return text === '' ? undefined : text
    lost(key, `${text} is no duration`)
    return undefined
  }
  const test = readTest(check['test'])
  const [interval, timeout, startPeriod] = [time('interval'), time('timeout'), time('start_period')]
  const retries = Number(plainText(check['retries'], {service: name, key: 'healthcheck'}, context) ?? NaN)
  if (check['disable'] === true || test === 'none') return {healthcheck: {disable: true}, test: undefined}
  const healthcheck = {
    ...(interval !== undefined && {interval}),
    ...(timeout !== undefined && {timeout}),
    ...(startPeriod !== undefined && {startPeriod}),
    ...(Number.isInteger(retries) && {retries: Math.min(Math.max(retries, 0), 100)}),
  }
  return {healthcheck: Object.keys(healthcheck).length === 0 ? undefined : healthcheck, test}
}

function readTest(value: unknown): DraftWords | 'none' | undefined {
  if (!Array.isArray(value)) {
    const text = scalarText(value)
    return text === undefined || text === '' ? undefined : {form: 'shell', words: [parseInterpolation(text)]}
  }
  const [form, ...rest] = listOf(value).map((word) => scalarText(word) ?? '')
  if (form === undefined) return undefined
  if (form === 'NONE') return 'none'
  if (form === 'CMD-SHELL') return {form: 'shell', words: [parseInterpolation(rest.join(' '))]}
  return {form: 'argv', words: (form === 'CMD' ? rest : [form, ...rest]).map(parseInterpolation)}
}
