import path from 'node:path'
import {pathToFileURL} from 'node:url'
import type {Edit, Finding, Fix} from '../../catalog/lint/finding.js'
import {showExample} from '../../catalog/lint/examples.js'
import type {Rule} from '../../catalog/lint/rule.js'
import {rules} from '../../catalog/lint/rules.js'

const levels = {error: 'error', warning: 'warning', info: 'note'} as const

/** All findings as one SARIF 2.1.0 log, with what each rule that was broken means. */
export function toSarif(findings: readonly Finding[], version: string): object {
  const broken = new Set(findings.map(({rule}) => rule))
  const described = rules.filter(({id}) => broken.has(id))
  const indexes = new Map(described.map(({id}, index) => [id, index]))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {driver: {name: 'moorage', semanticVersion: version, rules: described.map(toDescriptor)}},
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => toResult(finding, indexes.get(finding.rule))),
      },
    ],
  }
}

function toDescriptor(rule: Rule): object {
  const {id, severity, meaning, why, good} = rule
  return {
    id,
    name: id.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: {text: `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`},
    fullDescription: {text: why},
    help: {text: `${why}\n\nInstead:\n${showExample(good)}`},
    defaultConfiguration: {level: levels[severity]},
  }
}

function toResult({file, line, column, endLine, endColumn, path: pointer, rule, severity, message, fix}: Finding, ruleIndex: number | undefined): object {
  const artifactLocation = {uri: toUri(file)}
  return {
    ruleId: rule,
    ...(ruleIndex !== undefined && {ruleIndex}),
    level: levels[severity],
    message: {text: message},
    locations: [
      {
        physicalLocation: {artifactLocation, region: {startLine: line, startColumn: column, endLine, endColumn: endLine === line ? Math.max(endColumn, column) : endColumn}},
        ...(pointer !== '' && {logicalLocations: [{fullyQualifiedName: pointer, kind: 'member'}]}),
      },
    ],
    ...(fix !== undefined && {fixes: [toFix(fix, artifactLocation)]}),
  }
}

function toFix({title, edits}: Fix, artifactLocation: object): object {
  const replacements = edits.map(({offset, length, text}: Edit) => ({deletedRegion: {charOffset: offset, charLength: length}, ...(text !== '' && {insertedContent: {text}})}))
  return {description: {text: title}, artifactChanges: [{artifactLocation, replacements}]}
}

function toUri(file: string): string {
  if (path.isAbsolute(file)) return pathToFileURL(file).href
  return file.split(path.sep).map(encodeURIComponent).join('/')
}
