import {readFileSync} from 'node:fs'
import {describe, expect, test} from 'vitest'
import {lintDefinition} from '../../../../src/catalog/lint/lint-definition.js'

const text = readFileSync(new URL('../../../../catalog/apps/forgejo.json', import.meta.url), 'utf8')

interface Breakage {
  /** Stands once in the file; the finding is on the line where it starts, unless `line` says how many below. */
  readonly find: string
  readonly put: string
  readonly rule: string
  readonly path: string
  readonly line?: number
  readonly suggestion?: string
}

const breakages: Readonly<Record<string, Breakage>> = {
  'another id': {find: '"id": "forgejo"', put: '"id": "forge"', rule: 'id-filename', path: '/id', suggestion: 'forgejo'},
  'a category that is none': {find: '"category": "other"', put: '"category": "others"', rule: 'bad-value', path: '/category', suggestion: '"other"'},
  'a kind that is none': {find: '"kind": "template"', put: '"kind": "tempalte"', rule: 'bad-value', path: '/kind', suggestion: '"template"'},
  'a misspelt key at the top': {find: '"configFields": [', put: '"configfields": [', rule: 'unknown-key', path: '/configfields', suggestion: 'configFields'},
  'a name that is missing': {find: '"name": "Forgejo",', put: '', rule: 'missing-key', path: '/name', line: -3},
  'a tag that is no text': {find: '"forge",', put: '5,', rule: 'wrong-type', path: '/tags/1', suggestion: '"5"'},
  'a floating image': {find: '"image": "postgres:17.7-alpine"', put: '"image": "postgres:latest"', rule: 'image-unpinned', path: '/services/0/image'},
  'an image and a build': {find: '"image": "postgres:17.7-alpine",', put: '"image": "postgres:17.7-alpine", "build": {"dockerfile": "FROM postgres:17.7-alpine\\n"},', rule: 'image-or-build', path: '/services/0', line: -2},
  'no image': {find: '"image": "postgres:17.7-alpine",', put: '', rule: 'image-or-build', path: '/services/0', line: -2},
  'a port that is no port': {find: '"18557:5432"', put: '"18557:54320000"', rule: 'port-syntax', path: '/services/0/ports/0'},
  'a port as a number': {find: '"18510:3000"', put: '3000', rule: 'wrong-type', path: '/services/1/ports/0', suggestion: '"3000"'},
  'an environment value as a number': {find: '"USER_UID": "1000"', put: '"USER_UID": 1000', rule: 'wrong-type', path: '/services/1/environment/USER_UID', suggestion: '"1000"'},
  'a key of Compose': {find: '"restart": "unless-stopped",\n      "stopGracePeriod": "60s"\n    },\n', put: '"restart": "unless-stopped",\n      "container_name": "db"\n    },\n', rule: 'compose-key', path: '/services/0/container_name', line: 1},
  'a key in the style of Compose': {find: '"dependsOn": [', put: '"depends_on": [', rule: 'unknown-key', path: '/services/1/depends_on', suggestion: 'dependsOn'},
  'a dependency that is none': {find: '"dependsOn": [\n        "postgres"', put: '"dependsOn": [\n        "postgre"', rule: 'depends-unknown', path: '/services/1/dependsOn/0', line: 1, suggestion: 'postgres'},
  'a health check that does not say how': {find: '"CMD-SHELL",', put: '', rule: 'healthcheck-test', path: '/services/0/healthcheck/test', line: -1},
  'a duration that is none': {find: '"interval": "15s"', put: '"interval": "15 seconds"', rule: 'duration-form', path: '/services/1/healthcheck/interval', suggestion: '15s'},
  'an address of a port nobody serves': {find: '{{publicUrl:forgejo}}/', put: '{{publicUrl:forgejo:3001}}/', rule: 'publicurl-ref-unknown', path: '/services/1/environment/FORGEJO__server__ROOT_URL'},
  'a placeholder that is not closed': {find: '{{publicUrl:forgejo}}/', put: '{{publicUrl:forgejo}/', rule: 'placeholder-form', path: '/services/1/environment/FORGEJO__server__ROOT_URL'},
  'a volume without a path': {find: '"forgejo_data:/data"', put: '"forgejo_data:data"', rule: 'volume-syntax', path: '/services/1/volumes/0'},
  'a group of one': {find: '"label": "Database password",\n      "help": "For the database of accounts, issues and pull requests.",\n      "generate": "secret",\n      "generateGroup": "forgejo-db"', put: '"label": "Database password",\n      "help": "For the database of accounts, issues and pull requests.",\n      "generate": "secret",\n      "generateGroup": "forgejo-bd"', rule: 'config-unused', path: '/configFields/0/generateGroup', line: 3, suggestion: 'forgejo-db'},
  'a secret that is shown': {find: '"help": "Given to the account that the install makes.",\n      "generate": "secret",\n      "secret": true', put: '"help": "Given to the account that the install makes.",\n      "generate": "secret",\n      "secret": false', rule: 'generated-not-secret', path: '/configFields/3', line: -4},
  'a setting of another service': {find: '"key": "FORGEJO____APP_NAME",\n          "service": "forgejo"', put: '"key": "FORGEJO____APP_NAME",\n          "service": "forgego"', rule: 'unknown-service', path: '/settings/0/fields/0/service', line: 1, suggestion: 'forgejo'},
  'a pattern that is none': {find: '"pattern": "^[A-Za-z0-9.:-]+$"', put: '"pattern": "^[A-Za-z0-9.:-+$"', rule: 'bad-pattern', path: '/settings/0/fields/1/pattern'},
  'a default that is refused': {find: '"default": "steward@example.org"', put: '"default": "steward"', rule: 'setting-default-invalid', path: '/settings/1/fields/1/default'},
  'a step that nothing waits for': {find: '"phase": "post-ready"', put: '"phase": "post-start"', rule: 'readiness-ignored', path: '/prepare/0/readiness', line: 2},
  'a text without English': {find: '"en": "Make the administrator"', put: '"nl": "Beheerder maken"', rule: 'localized-fallback', path: '/prepare/0/title', line: -1},
  'an output of nothing': {find: '"source": "env:forgejo:FORGEJO_ADMIN_PASSWORD"', put: '"source": "env:forgejo:FORGEJO_ADMIN_PASSWRD"', rule: 'output-env-unknown', path: '/connection/outputs/2/source', suggestion: 'FORGEJO_ADMIN_PASSWORD'},
  'an output that shows a secret': {find: '"help": "Of the first sign-in.",\n        "secret": true', put: '"help": "Of the first sign-in.",\n        "secret": false', rule: 'output-secret-unmasked', path: '/connection/outputs/2/source', line: -1},
  'an output source of no form': {find: '"source": "publicUrl:forgejo"', put: '"source": "publicUrl forgejo"', rule: 'output-source', path: '/connection/outputs/0/source'},
  'a mode of another kind': {find: '"scope": "public",\n      "defaultMode": "domain"', put: '"scope": "public",\n      "defaultMode": "publish"', rule: 'endpoint-mode-kind', path: '/endpoints/0/defaultMode', line: 1},
  'an engine that is no version': {find: '"minEngine": "1.0.0"', put: '"minEngine": "newest"', rule: 'min-engine-form', path: '/minEngine'},
  'a comma too many': {find: '"collaboration"\n', put: '"collaboration",\n', rule: 'json-trailing-comma', path: ''},
  'a quote too few': {find: '"USER_GID": "1000"', put: '"USER_GID: "1000"', rule: 'json-syntax', path: ''},
}

const before = lintDefinition(text, {fileName: 'forgejo.json', engine: '1.0.0', hasArticle: () => true}).findings

test('the definition as it is has nothing wrong, and there are thirty ways to break it', () => {
  expect(before.filter(({severity}) => severity !== 'info')).toEqual([])
  expect(Object.keys(breakages).length).toBeGreaterThanOrEqual(30)
})

describe.each(Object.entries(breakages))('%s', (_, {find, put, rule, path, line = 0, suggestion}) => {
  test(`is told as ${rule} with its path and line`, () => {
    const parts = text.split(find)
    expect(parts, `${JSON.stringify(find)} stands once in the file`).toHaveLength(2)
    const {findings, definition} = lintDefinition(parts.join(put), {fileName: 'forgejo.json', engine: '1.0.0', hasArticle: () => true})
    const found = findings.filter((finding) => finding.rule === rule && finding.path === path)
    expect(found, JSON.stringify(findings)).toHaveLength(1)
    const expectedLine = (parts[0]?.split('\n').length ?? 0) + line
    expect(found[0]?.line).toBe(expectedLine)
    if (suggestion !== undefined) expect(found[0]?.suggestion).toBe(suggestion)
    expect(definition === null).toBe(findings.some(({severity, rule: other}) => severity === 'error' && refused.has(other)))
  })
})

/** What the server refuses; other errors are what it takes but can not run. */
const refused: ReadonlySet<string> = new Set([
  'json-syntax', 'json-comment', 'json-trailing-comma', 'json-size', 'json-depth', 'missing-key', 'wrong-type', 'bad-value', 'out-of-bounds', 'schema-too-new', 'unknown-service',
  'output-source', 'jwt-group', 'flow-href', 'image-or-build', 'provides-output', 'article-both', 'article-path', 'file-path', 'build-path',
])
