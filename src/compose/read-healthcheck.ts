import type {ComposeHealthcheck} from './compose-model.js'
import {warnUnknownKeys, type Problems} from './problems.js'
import {toDuration} from './quantities.js'
import {readBoolean, readInteger, readMap, readText, readTexts} from './read-values.js'
import {childOf, type MapNode, type TreeNode} from './tree.js'

const known = ['test', 'interval', 'timeout', 'retries', 'start_period', 'start_interval', 'disable']

export function readHealthcheck(service: MapNode, problems: Problems): ComposeHealthcheck | null {
  const check = readMap(childOf(service, 'healthcheck'), problems)
  if (check === undefined) return null
  warnUnknownKeys(check, known, problems)
  const early = check.entries.get('start_interval')
  if (early !== undefined) problems.warn(early.key, 'start_interval has no effect, since not every engine knows it; interval counts from the start')
  const test = readTest(childOf(check, 'test'), problems)
  if (readBoolean(childOf(check, 'disable'), problems) === true || test?.[0] === 'NONE') return {test: null, interval: null, timeout: null, startPeriod: null, retries: null, disable: true}
  return {
    test,
    interval: readDuration(childOf(check, 'interval'), problems),
    timeout: readDuration(childOf(check, 'timeout'), problems),
    startPeriod: readDuration(childOf(check, 'start_period'), problems),
    retries: readInteger(childOf(check, 'retries'), problems) ?? null,
    disable: false,
  }
}

function readTest(node: TreeNode | undefined, problems: Problems): readonly string[] | null {
  if (node === undefined || node.kind === 'null') return null
  if (node.kind === 'text') return ['CMD-SHELL', node.text]
  const test = readTexts(node, problems)
  if (/^(?:CMD|CMD-SHELL|NONE)$/.test(test[0] ?? '')) return test
  problems.error(node.place, 'the list of a health check starts with CMD, CMD-SHELL or NONE; as one text it needs no such word')
  return null
}

export function readDuration(node: TreeNode | undefined, problems: Problems): string | null {
  const text = readText(node, problems)
  if (node === undefined || text === undefined) return null
  const duration = toDuration(text)
  if (duration === undefined) problems.error(node.place, `${text} is no duration; write a number with its unit, such as 30s or 1m30s`)
  return duration ?? null
}
