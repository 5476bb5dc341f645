import type {AppDefinition} from '../definition.js'
import type {DefinitionView} from '../definition-view.js'
import {parsePort} from '../endpoints.js'
import type {JsonPath} from '../json-tree.js'
import {readDefinition, type ReadDefinition} from '../read-definition.js'
import {valueAt} from '../shape-issues.js'
import {checkUnknownKeys} from './key-rules.js'
import {createLintContext, type LintOptions} from './lint-context.js'
import type {RawFinding} from './place-finding.js'
import {rules} from './rules.js'

/** A value that is to be checked as a definition. */
export interface LintJob {
  readonly value: unknown
  /** Where it stands in its file. */
  readonly base: JsonPath
  readonly mayHoldOddText: boolean
  readonly options: LintOptions
}

/** What has to differ between the definitions of a folder. Kept small, as a folder may hold thousands. */
export interface LintedApp {
  readonly base: JsonPath
  readonly id: string | undefined
  /** Ports of the host that its mappings take, such as 8080/tcp, with the paths of the mappings. */
  readonly hostPorts: ReadonlyMap<string, JsonPath>
}

export interface LintedValue {
  readonly findings: readonly RawFinding[]
  readonly definition: AppDefinition | null
  readonly app: LintedApp
}

const checkedRules = rules.filter(({check}) => check !== undefined)

/** Checks many values rule by rule: with one rule at work at a time the processor needs half the time it takes value by value. */
export function lintValues(jobs: readonly LintJob[]): LintedValue[] {
  const open = jobs.map((job) => {
    const read = readDefinition(job.value)
    const lint = read.view === null ? undefined : createLintContext(read.view, {...job.options, mayHoldOddText: job.mayHoldOddText})
    const found: RawFinding[] = [...read.issues, ...read.furtherIssues, ...keyFindings(read, job.value)]
    return {job, read, lint, found}
  })
  for (const {id, check} of checkedRules) {
    for (const {lint, read, found} of open) if (lint !== undefined) applyRule(found, {id, view: read.view, problems: check?.(lint) ?? []})
  }
  return open.map(({job: {base, value}, read, found}) => ({
    findings: base.length === 0 ? found : found.map((finding) => ({...finding, path: [...base, ...finding.path]})),
    definition: read.definition,
    app: toApp(value, base, read.view),
  }))
}

interface Applied {
  readonly id: string
  readonly view: DefinitionView | null
  readonly problems: ReturnType<NonNullable<(typeof rules)[number]['check']>>
}

function applyRule(found: RawFinding[], {id, view, problems}: Applied): void {
  for (const problem of problems) found.push({...problem, rule: id, path: view?.toGiven(problem.path) ?? problem.path})
}

function toApp(value: unknown, base: JsonPath, view: DefinitionView | null): LintedApp {
  const id = valueAt(value, ['id'])
  const ports = (view?.definition.services ?? []).flatMap((service, at) =>
    (service.ports ?? []).flatMap((text, index): [string, JsonPath][] => {
      const port = parsePort(text)
      return view === null || port === undefined || port.hostPort === null ? [] : [[`${port.hostPort}/${port.protocol}`, [...base, ...view.toGiven(['services', at, 'ports', index])]]]
    }),
  )
  return {base, id: typeof id === 'string' ? id : undefined, hostPorts: new Map(ports)}
}

function keyFindings({unknownKeys}: ReadDefinition, value: unknown): RawFinding[] {
  const siblingsOf = (path: JsonPath): string[] => {
    const parent = valueAt(value, path.slice(0, -1))
    return typeof parent === 'object' && parent !== null ? Object.keys(parent) : []
  }
  return checkUnknownKeys(unknownKeys, ({path}) => siblingsOf(path))
}
