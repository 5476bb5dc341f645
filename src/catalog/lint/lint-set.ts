import type {Finding} from './finding.js'
import {inOrder, type LintResult} from './lint-definition.js'
import type {LintedApp} from './lint-values.js'
import {toFinding, type RawFinding} from './place-finding.js'

export interface LintedFile {
  readonly file: string
  readonly result: Pick<LintResult, 'findings' | 'apps' | 'places'>
}

interface App extends LintedApp {
  readonly file: LintedFile
}

/** What only shows over all files: the findings of each file, with those added. */
export function lintSet(files: readonly LintedFile[]): readonly (readonly Finding[])[] {
  const apps = files.flatMap((file) => file.result.apps.map((app) => ({...app, file})))
  const byFile = new Map<LintedFile, RawFinding[]>()
  for (const {file, raw} of [...compareIds(apps), ...comparePorts(apps)]) byFile.set(file, [...(byFile.get(file) ?? []), raw])
  return files.map((file) => {
    const more = byFile.get(file)
    if (more === undefined) return file.result.findings
    return inOrder([...file.result.findings, ...more.map((raw) => toFinding(file.result.places, file.file, raw))])
  })
}

interface SetFinding {
  readonly file: LintedFile
  readonly raw: RawFinding
}

function compareIds(apps: readonly App[]): SetFinding[] {
  const seen = new Map<string, App>()
  return apps.flatMap((app) => {
    const {id, file} = app
    const other = id === undefined ? undefined : seen.get(id.toLowerCase())
    if (id !== undefined && other === undefined) seen.set(id.toLowerCase(), app)
    if (id === undefined || other === undefined) return []
    const message = other.id === id ? `${other.file.file} has the id ${id} already` : `${other.file.file} has the id ${String(other.id)}, which differs only in capitals`
    return [{file, raw: {rule: other.id === id ? 'duplicate-app' : 'id-case', path: [...app.base, 'id'], message}}]
  })
}

function comparePorts(apps: readonly App[]): SetFinding[] {
  const seen = new Map<string, App>()
  return apps.flatMap((app) =>
    [...app.hostPorts].flatMap(([port, path]) => {
      const other = seen.get(port)
      if (other === undefined) seen.set(port, app)
      if (other === undefined) return []
      return [{file: app.file, raw: {rule: 'host-port-clash', path, message: `${other.id ?? other.file.file} uses the host port ${port.replace('/tcp', '')}, too`}}]
    }),
  )
}
