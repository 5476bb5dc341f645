import type {AppDefinition} from '../definition.js'
import type {DefinitionIssue} from '../definition-issue.js'
import type {DefinitionView} from '../definition-view.js'
import {parsePort} from '../endpoints.js'
import {readJsonText, type JsonText, type TextPlaces} from '../json-text.js'
import type {JsonPath} from '../json-tree.js'
import {readDefinition, type ReadDefinition} from '../read-definition.js'
import {valueAt} from '../shape-issues.js'
import {severities, type Finding} from './finding.js'
import {checkUnknownKeys} from './key-rules.js'
import {createLintContext, type LintOptions} from './lint-context.js'
import {toFinding, type RawFinding} from './place-finding.js'
import type {Problem} from './rule.js'
import {findRule, rules} from './rules.js'
import {mayHoldOddText} from './text-rules.js'

export interface LintDefinitionOptions extends LintOptions {
  /** How findings call the file. */
  readonly file?: string | undefined
}

/** What has to differ between the definitions of a folder. Kept small, as a folder may hold thousands. */
export interface LintedApp {
  readonly base: JsonPath
  readonly id: string | undefined
  /** Ports of the host that its mappings take, such as 8080/tcp, with the paths of the mappings. */
  readonly hostPorts: ReadonlyMap<string, JsonPath>
}

export interface LintResult {
  /** In the order of the file. */
  readonly findings: readonly Finding[]
  /** What the server would load; null where it would refuse. */
  readonly definition: AppDefinition | null
  readonly apps: readonly LintedApp[]
  readonly places: TextPlaces
}

/** Says everything there is to say about one definition. Takes any text and never throws. */
export function lintDefinition(text: string, options: LintDefinitionOptions = {}): LintResult {
  const json = readJsonText(text)
  const {findings, definition, app} = json.isWhole ? lintValue(json, [], options) : {findings: [], definition: null, app: undefined}
  return finish(json, {findings, definition, options, apps: app === undefined ? [] : [app]})
}

/** The same for each entry of a manifest, `{"version": 1, "apps": [ … ]}`. */
export function lintManifest(text: string, options: LintDefinitionOptions = {}): LintResult {
  const json = readJsonText(text)
  const apps = json.isWhole ? valueAt(json.value, ['apps']) : undefined
  if (!Array.isArray(apps)) {
    const findings: RawFinding[] = json.isWhole ? [{rule: 'wrong-type', path: ['apps'], message: 'a manifest has a list apps with the definitions'}] : []
    return finish(json, {findings, definition: null, options, apps: []})
  }
  // An entry has no file of its own that could have the wrong name.
  const results = apps.map((_, index) => lintValue(json, ['apps', index], {...options, fileName: undefined}))
  return finish(json, {findings: results.flatMap(({findings}) => findings), definition: null, options, apps: results.map(({app}) => app)})
}

interface Linted {
  readonly findings: readonly RawFinding[]
  readonly definition: AppDefinition | null
  readonly app: LintedApp
}

function lintValue(json: JsonText, base: JsonPath, options: LintOptions): Linted {
  const value = valueAt(json.value, base)
  const read = readDefinition(value)
  const findings = [...gateFindings(read), ...keyFindings(read, value), ...(read.view === null ? [] : ruleFindings(read.view, {...options, mayHoldOddText: mayHoldOddText(json.places.text)}))]
  return {findings: findings.map((finding) => ({...finding, path: [...base, ...finding.path]})), definition: read.definition, app: toApp(value, base, read.view)}
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

function gateFindings({issues, furtherIssues}: ReadDefinition): RawFinding[] {
  return [...issues, ...furtherIssues].map((issue: DefinitionIssue) => issue)
}

function keyFindings({unknownKeys}: ReadDefinition, value: unknown): RawFinding[] {
  const siblingsOf = (path: JsonPath): string[] => {
    const parent = valueAt(value, path.slice(0, -1))
    return typeof parent === 'object' && parent !== null ? Object.keys(parent) : []
  }
  return checkUnknownKeys(unknownKeys, ({path}) => siblingsOf(path))
}

const none: readonly Problem[] = []
const checkedRules = rules.filter(({check}) => check !== undefined)

function ruleFindings(view: DefinitionView, options: Parameters<typeof createLintContext>[1]): RawFinding[] {
  const lint = createLintContext(view, options)
  const found: RawFinding[] = []
  for (const {id, check} of checkedRules) for (const problem of check?.(lint) ?? none) found.push({...problem, rule: id, path: view.toGiven(problem.path)})
  return found
}

interface Unfinished {
  readonly findings: readonly RawFinding[]
  readonly definition: AppDefinition | null
  readonly options: LintDefinitionOptions
  readonly apps: readonly LintedApp[]
}

function finish(json: JsonText, {findings, definition, options, apps}: Unfinished): LintResult {
  const file = options.file ?? options.fileName ?? ''
  const all = cutFindings([...json.problems, ...findings]).map((finding) => toFinding(json.places, file, finding))
  const isRefused = json.problems.some(({rule}) => rule !== 'json-bom' && rule !== 'json-duplicate-key')
  return {findings: inOrder(all), definition: isRefused ? null : definition, apps, places: json.places}
}

const mostFindings = 1000

// Nobody reads on after so many, and finding the place of each takes its time. What fails the check is kept first.
function cutFindings(findings: readonly RawFinding[]): readonly RawFinding[] {
  if (findings.length <= mostFindings) return findings
  const order = (finding: RawFinding): number => severities.indexOf(findRule(finding.rule)?.severity ?? 'error')
  const kept = findings.toSorted((a, b) => order(a) - order(b)).slice(0, mostFindings - 1)
  return [...kept, {rule: 'more-findings', path: [], message: 'there are more findings than these thousand; mend these first'}]
}

/** By place; what stands at one place keeps its order. */
export function inOrder(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => a.line - b.line || a.column - b.column)
}
