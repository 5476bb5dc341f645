import path from 'node:path'
import type {Finding} from '../../catalog/lint/finding.js'

const commands = {error: 'error', warning: 'warning', info: 'notice'} as const

/** A finding as an annotation that GitHub Actions reads from the output of a step. */
export function githubLine({file, line, column, endLine, endColumn, severity, message, rule}: Finding): string {
  // Columns are only understood within one line.
  const columns = endLine === line ? {col: column, endColumn: Math.max(endColumn, column)} : {}
  const properties = Object.entries({file: slashed(file), line, endLine, ...columns, title: rule}).map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
  return `::${commands[severity]} ${properties.join(',')}::${escapeData(message)}`
}

function slashed(file: string): string {
  return path.sep === '/' ? file : file.replaceAll(path.sep, '/')
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
