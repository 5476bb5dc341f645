import {parsePort} from '../endpoints.js'
import type {AppDefinition} from '../definition.js'
import type {JsonPath} from '../json-tree.js'
import type {Finding} from './finding.js'
import {valueAt} from '../shape-issues.js'
import {inOrder, type LintResult} from './lint-definition.js'
import {toFinding, type RawFinding} from './place-finding.js'

export interface LintedFile {
  readonly file: string
  readonly result: LintResult
}

interface App {
  readonly file: LintedFile
  readonly definition: AppDefinition
  readonly base: JsonPath
}

/** What only shows over all files: the findings of each file, with those added. */
export function lintSet(files: readonly LintedFile[]): readonly (readonly Finding[])[] {
  const apps = files.flatMap((file) => file.result.apps.flatMap(({view, base}) => (view === null ? [] : [{file, definition: view, base}])))
  const found = [...compareIds(apps), ...comparePorts(apps)]
  const byFile = new Map<LintedFile, Finding[]>()
  for (const {app, raw} of found) {
    const finding = toFinding(app.file.result.json, app.file.file, {...raw, path: [...app.base, ...raw.path]})
    byFile.set(app.file, [...(byFile.get(app.file) ?? []), finding])
  }
  return files.map((file) => {
    const more = byFile.get(file) ?? []
    return more.length === 0 ? file.result.findings : inOrder([...file.result.findings, ...more])
  })
}

interface SetFinding {
  readonly app: App
  readonly raw: RawFinding
}

function compareIds(apps: readonly App[]): SetFinding[] {
  const seen = new Map<string, App>()
  return apps.flatMap((app) => {
    const id = valueAt(app.file.result.json.value, [...app.base, 'id'])
    if (typeof id !== 'string') return []
    const other = seen.get(id.toLowerCase())
    if (other === undefined) {
      seen.set(id.toLowerCase(), app)
      return []
    }
    const isSame = other.definition.id === id
    const message = isSame ? `${other.file.file} has the id ${id} already` : `${other.file.file} has the id ${other.definition.id}, which differs only in capitals`
    return [{app, raw: {rule: isSame ? 'duplicate-app' : 'id-case', path: ['id'], message}}]
  })
}

function comparePorts(apps: readonly App[]): SetFinding[] {
  const seen = new Map<string, App>()
  return apps.flatMap((app) =>
    (app.definition.services ?? []).flatMap(({ports = []}, service) =>
      ports.flatMap((text, index) => {
        const port = parsePort(text)
        if (port === undefined || port.hostPort === null) return []
        const name = `${port.hostPort}/${port.protocol}`
        const other = seen.get(name)
        if (other === undefined) seen.set(name, app)
        return other === undefined || other === app ? [] : [{app, raw: {rule: 'host-port-clash', path: ['services', service, 'ports', index], message: `${other.definition.id} uses the host port ${port.hostPort}, too`}}]
      }),
    ),
  )
}
