import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {toEntry} from '../../../daemon/apps/list-entry.js'
import {searchApps, toListed, type AppSearch} from '../../../daemon/apps/search.js'
import {readDefinition} from '../../../src/catalog/read-definition.js'
import {CatalogEntry} from '../../../src/contract/apps.js'
import {app, idsOf} from './app-fixture.js'

function entryOf(raw: unknown, more: object = {}, custom = false): CatalogEntry {
  const {definition} = readDefinition(raw)
  if (definition === null) throw new Error('the fixture does not pass the gate')
  return toEntry({definition, ...more}, custom)
}

const apps = [
  entryOf(app('gitea', {description: 'Git with a cup of tea', category: 'backend', tags: ['git', 'Code'], verified: true})),
  entryOf(app('redis', {category: 'database', tags: ['cache'], available: false})),
  entryOf(app('pg', {name: 'PostgreSQL', category: 'database', tags: ['SQL', 'code']})),
  entryOf(app('next', {category: 'database'}), {requiresUpdate: {}}),
  entryOf(app('mine', {category: 'backend', tags: []}), {}, true),
].map(toListed)
const search = (query: Partial<AppSearch>) => searchApps(apps, {offset: 0, ...query})
const found = (query: Partial<AppSearch>) => idsOf(search(query).data)

describe('a search', () => {
  it.each<[Partial<AppSearch>, string[]]>([
    [{}, ['gitea', 'redis', 'pg', 'next', 'mine']],
    [{q: 'POSTGRES'}, ['pg']],
    [{q: 'cup of'}, ['gitea']],
    [{q: 'sql'}, ['pg']],
    [{q: 'gitea'}, ['gitea']],
    [{q: '.*'}, []],
    [{category: 'database'}, ['redis', 'pg', 'next']],
    [{tag: 'CODE'}, ['gitea', 'pg']],
    [{tag: 'cod'}, []],
    [{installable: true}, ['gitea', 'pg', 'mine']],
    [{installable: false}, ['redis', 'next']],
    [{custom: true}, ['mine']],
    [{custom: false, category: 'backend'}, ['gitea']],
    [{verified: true}, ['gitea']],
    [{q: 'app', category: 'database', installable: true, tag: 'sql'}, []],
    [{limit: 2}, ['gitea', 'redis']],
    [{limit: 2, offset: 3}, ['next', 'mine']],
    [{offset: 9}, []],
  ])('%j finds %j', (query, ids) => {
    expect(found(query)).toEqual(ids)
  })

  it('counts all that it found, also where only a page of it is shown', () => {
    const {data, total, facets} = search({q: 'what', limit: 1})
    expect([data.length, total]).toEqual([1, 4])
    expect(facets.categories).toEqual([{value: 'backend', count: 1}, {value: 'database', count: 3}])
  })

  it('counts a tag once however it is written, the most frequent first', () => {
    expect(search({}).facets.tags).toEqual([{value: 'Code', count: 2}, {value: 'SQL', count: 1}, {value: 'cache', count: 1}, {value: 'git', count: 1}])
  })

  it('cut into pages gives every app once, in order', () => {
    fc.assert(
      fc.property(fc.integer({min: 1, max: 7}), (limit) => {
        const pages = [0, 1, 2, 3, 4].flatMap((page) => found({limit, offset: page * limit}))
        expect(pages).toEqual(found({}))
      }),
    )
  })
})

describe('an entry of the list', () => {
  it('has what cards show, with defaults filled in', () => {
    expect(entryOf(app('paste'))).toEqual({
      id: 'paste', name: 'App paste', description: 'what paste does', kind: 'template', logo: 'paste', category: 'other', tags: [], management: null,
      verified: false, hosting: 'self-hosted', custom: false, comingSoon: false, configFields: [],
      endpoints: [{service: 'web', port: 8090, label: 'web', kind: 'http', scope: 'public'}],
    })
  })

  it('asks for the values that nobody generates, and for no other', () => {
    const configFields = [
      {key: 'TITLE', service: 'web', label: 'Title', default: 'Paste', help: 'shown on top', required: true},
      {key: 'PIN', service: 'web', label: 'Pin', type: 'password', secret: true},
      {key: 'KEY', service: 'web', label: 'Key', generate: 'secret'},
    ]
    expect(entryOf(app('a', {configFields})).configFields).toEqual([
      {key: 'TITLE', service: 'web', label: 'Title', type: 'text', default: 'Paste', help: 'shown on top', required: true},
      {key: 'PIN', service: 'web', label: 'Pin', type: 'password', required: false},
    ])
  })

  it('carries what the definition says of its presentation and needs, as the contract declares it', () => {
    const said = {
      hosting: 'experimental', minResources: {memoryMb: 512}, marketplace: {features: [{title: 'Fast'}], article: '# A'}, installLayout: {settings: 'split'},
      management: {kind: 'custom', href: '/x'}, verified: true, tags: ['a'],
    }
    const entry = entryOf(app('a', said))
    expect(entry).toMatchObject(said)
    expect(CatalogEntry.parse(entry)).toEqual(entry)
  })

  it('shows a settings form where there are settings', () => {
    const settings = [{id: 'g', label: 'G', fields: []}]
    expect(entryOf(app('a', {settings})).management).toEqual({kind: 'schema'})
  })

  it('of a flow says where it leads', () => {
    expect(entryOf({...app('a'), kind: 'flow', services: undefined, flowHref: '/apps/new/a'})).toMatchObject({kind: 'flow', flowHref: '/apps/new/a', endpoints: []})
  })

  it('is coming soon unless the definition says that it is available', () => {
    expect([undefined, false, true].map((available) => entryOf(app('a', {available})).comingSoon)).toEqual([true, true, false])
  })
})
