import {expect, it} from 'vitest'
import {createReadAppContent} from '../../../daemon/apps/app-content.js'
import {installApp} from '../../../daemon/apps/install-app.js'
import type {Principal} from '../../../daemon/access/principal.js'
import {systemClock} from '../../../daemon/clock.js'
import {createRecordEvent} from '../../../daemon/events/event-log.js'
import {readStoredValues} from '../../../daemon/projects/app-projects.js'
import {EnvVars, Projects, Services, type ProjectRecord} from '../../../daemon/projects/records.js'
import {AppDefinition} from '../../../src/catalog/definition.js'
import {openQueue, organizationId, type QueueFixture} from '../projects/deployments/queue-fixture.js'
import {app} from './app-fixture.js'

const owner: Principal = {
  kind: 'token', userId: 'usr_ada', organizationId, role: 'owner', memberRole: 'owner', credentialId: 'pat_1', credentialName: 'x', readOnly: false, scoped: false, grants: [], expiresAt: null, instanceAdmin: true,
}

interface Lab extends QueueFixture {
  readonly project: ProjectRecord
  read(): ReturnType<ReturnType<typeof createReadAppContent>>
  values(): Promise<Record<string, string | null>>
  forget(key: string): Promise<void>
}

/** A real store with one install of a definition. */
async function installed(more: Readonly<Record<string, unknown>>): Promise<Lab> {
  const queue = await openQueue()
  const {store, sealer} = queue
  const definition = AppDefinition.parse(app('notes', more))
  const parts = {store, sealer, clock: systemClock, recordEvent: createRecordEvent(systemClock), findApp: async () => ({definition})}
  const actor = {userId: 'usr_ada', source: 'cli', clientId: 'pat:pat_1', ipAddress: null, userAgent: null} as const
  await installApp(parts, {templateId: 'notes'}, {principal: owner, actor})
  const [project] = await store.find(Projects, 'organization', [organizationId])
  if (project === undefined) throw new Error('there is no project')
  return {
    ...queue, project,
    read: () => createReadAppContent(parts)(project),
    values: async () => Object.fromEntries((await readStoredValues(store, sealer, project)).map(({service, key, value}) => [`${service}.${key}`, value])),
    async forget(key) {
      const row = (await store.find(EnvVars, 'project', [project.id])).find((candidate) => candidate.key === key)
      await store.transaction(async (transaction) => void (await transaction.delete(EnvVars, row?.id ?? '')))
    },
  }
}

const secret = (key: string, service: string, generateGroup?: string) => ({key, service, label: key, generate: 'secret', secret: true, ...(generateGroup !== undefined && {generateGroup})})
const services = [{name: 'web', image: 'web:1', environment: {URL: 'x:{{config:COPIED}}'}}, {name: 'db', image: 'db:1'}]

it('makes a generated value that is missing, and takes that of its group where another service has it', async () => {
  const lab = await installed({services, configFields: [secret('ALONE', 'db'), secret('ONE', 'web', 'pair'), secret('TWO', 'db', 'pair')]})
  const before = await lab.values()
  await lab.forget('ALONE')
  await lab.forget('TWO')
  expect((await lab.read())?.warnings).toEqual([])
  const after = await lab.values()
  expect(after['db.ALONE']).toMatch(/^[0-9a-f]{64}$/)
  expect(after['db.ALONE']).not.toBe(before['db.ALONE'])
  expect([after['web.ONE'], after['db.TWO']]).toEqual([before['web.ONE'], before['web.ONE']])
})

it('makes none of which copies were written, and none in the place of one that can not be read', async () => {
  const lab = await installed({services, configFields: [secret('COPIED', 'db'), secret('SEALED', 'db')]})
  const sealed = (await lab.store.find(EnvVars, 'project', [lab.project.id])).find(({key}) => key === 'SEALED')
  await lab.store.transaction(async (transaction) => void (sealed !== undefined && (await transaction.put(EnvVars, {...sealed, value: `${sealed.value.slice(0, -8)}AAAAAAAA`}))))
  await lab.forget('COPIED')
  expect((await lab.read())?.warnings).toEqual(['db: COPIED is left alone, as copies of it were written before', 'db: SEALED is left alone, as what is stored can not be read'])
  expect(await lab.values()).toEqual({'db.SEALED': null})
})

it('gives files and build contexts with the stored values in them', async () => {
  const built = {name: 'site', build: {dockerfile: 'FROM base\nARG TITLE\nARG MODE="a" OTHER\nCOPY site/page /page\n', files: [{path: 'page', content: 'in {{config:LANGUAGE}}\n'}]}}
  const lab = await installed({
    services: [...services, built],
    configFields: [secret('PASSWORD', 'db'), {key: 'LANGUAGE', service: 'site', label: 'Language', default: 'de'}],
    files: [{service: 'db', path: '/etc//db.conf', content: 'password {{config:PASSWORD}}\nurl {{publicUrl:web}}\n'}, {service: 'web', path: '/etc/plain', content: 'plain {{ other }}'}],
  })
  const values = await lab.values()
  const content = await lab.read()
  expect(content?.files).toEqual([
    {service: 'db', path: '/etc/db.conf', content: `password ${values['db.PASSWORD']}\nurl {{publicUrl:web}}\n`, isSecret: true},
    {service: 'web', path: '/etc/plain', content: 'plain {{ other }}', isSecret: false},
  ])
  expect(content?.buildFiles).toEqual({'site/Dockerfile': built.build.dockerfile, 'site/page': 'in de\n'})
  expect(content?.buildArguments).toEqual({site: ['TITLE', 'MODE', 'OTHER']})
  // What the service is built with is where the context has it.
  const site = (await lab.store.find(Services, 'project', [lab.project.id])).find(({name}) => name === 'site')
  expect([site?.build, site?.dockerfile]).toEqual(['.', 'site/Dockerfile'])
})

it.each(['etc/relative', '/etc/../../root/x', '/'])('refuses the file %j', async (path) => {
  const lab = await installed({services, files: [{service: 'web', path, content: 'x'}]})
  await expect(lab.read()).rejects.toMatchObject({code: 'DEFINITION_INVALID'})
})

it('is nothing for a project that was not made from an app', async () => {
  const lab = await installed({services})
  const {store, sealer} = lab
  const plain = await lab.addProject({name: 'plain'})
  expect(await createReadAppContent({store, sealer, clock: systemClock})(plain)).toBeNull()
})
