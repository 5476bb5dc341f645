import type {AppDefinition} from '../definition.js'
import {readJsonText, type JsonText, type TextPlaces} from '../json-text.js'
import type {JsonPath} from '../json-tree.js'
import {valueAt} from '../shape-issues.js'
import {severities, type Finding} from './finding.js'
import type {LintOptions} from './lint-context.js'
import {lintValues, type LintedApp, type LintedValue, type LintJob} from './lint-values.js'
import {toFinding, type RawFinding} from './place-finding.js'
import {findRule} from './rules.js'
import {mayHoldOddText} from './text-rules.js'

export interface LintDefinitionOptions extends LintOptions {
  /** How findings call the file. */
  readonly file?: string | undefined
  /** Whether it is a manifest, `{"version": 1, "apps": [ … ]}`, which is checked entry by entry. */
  readonly isManifest?: boolean | undefined
}

export interface LintInput extends LintDefinitionOptions {
  readonly text: string
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
  const [result] = lintDefinitions([{...options, text}])
  if (result === undefined) throw new Error('each text has a result')
  return result
}

/** The same for many texts at once, which is quicker. */
export function lintDefinitions(inputs: readonly LintInput[]): LintResult[] {
  const texts = inputs.map((input) => {
    const json = readJsonText(input.text)
    return {input, json, jobs: toJobs(json, input)}
  })
  const linted = lintValues(texts.flatMap(({jobs}) => jobs))
  let next = 0
  return texts.map(({input, json, jobs}) => {
    const own = linted.slice(next, next + jobs.length)
    next += jobs.length
    return finish(json, input, own)
  })
}

function toJobs(json: JsonText, input: LintInput): LintJob[] {
  if (!json.isWhole) return []
  const apps = input.isManifest === true ? valueAt(json.value, ['apps']) : undefined
  if (input.isManifest === true && !Array.isArray(apps)) return []
  // An entry of a manifest has no file of its own that could have the wrong name.
  const bases: JsonPath[] = Array.isArray(apps) ? apps.map((_, index) => ['apps', index]) : [[]]
  const options = {engine: input.engine, hasArticle: input.hasArticle, fileName: input.isManifest === true ? undefined : input.fileName}
  return bases.map((base) => ({value: valueAt(json.value, base), base, mayHoldOddText: mayHoldOddText(json.places.text), options}))
}

function finish(json: JsonText, input: LintInput, linted: readonly LintedValue[]): LintResult {
  const file = input.file ?? input.fileName ?? ''
  const isEmpty = input.isManifest === true && json.isWhole && !Array.isArray(valueAt(json.value, ['apps']))
  const raw: RawFinding[] = [...json.problems, ...linted.flatMap(({findings}) => findings)]
  if (isEmpty) raw.push({rule: 'wrong-type', path: ['apps'], message: 'a manifest has a list apps with the definitions'})
  const isRefused = json.problems.some(({rule}) => rule !== 'json-bom' && rule !== 'json-duplicate-key')
  const definition = isRefused || input.isManifest === true ? null : (linted[0]?.definition ?? null)
  return {
    findings: inOrder(cutFindings(raw).map((finding) => toFinding(json.places, file, finding))),
    definition, apps: linted.map(({app}) => app), places: json.places,
  }
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
