import {readdirSync, readFileSync} from 'node:fs'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import type {AppDefinition} from '../../src/catalog/definition.js'
import {lintDefinition} from '../../src/catalog/lint/lint-definition.js'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {runCommand} from './run-command.js'

// What render writes for Compose is what import has to read: the catalog is there and back the widest sample of Compose files at hand.

const files = readdirSync('catalog/apps').map((name) => path.join('catalog/apps', name))
const apps = files.map((file) => ({file, app: JSON.parse(readFileSync(file, 'utf8')) as AppDefinition})).filter(({app}) => (app.services ?? []).length > 0)

describe('an app of the catalog, rendered for Compose and imported again', () => {
  test.each(apps)('$app.id is a definition that the linter has no warning for', async ({file, app}) => {
    const home = await temporaryFolder()
    const folder = path.join(home, app.id)
    expect(await runCommand(['apps', 'render', file, '--output', folder, '--url', 'https://apps.example.com'], {home})).toMatchObject({exitCode: 0})
    const {stdout, exitCode} = await runCommand(['apps', 'import', folder, '--json', '--id', app.id], {home})
    expect(exitCode).toBe(0)
    const {definition, notes} = JSON.parse(stdout)
    expect(lintDefinition(JSON.stringify(definition)).findings.filter(({severity}) => severity !== 'info')).toEqual([])
    expect(notes.filter(({level}: {level: string}) => level === 'lost')).toEqual([])
    const parts = ({services = []}: AppDefinition) => services.map(({name, image, dependsOn = []}) => ({name, image, dependsOn: dependsOn.toSorted()})).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    expect(parts(definition)).toEqual(parts(app))
  })
})
