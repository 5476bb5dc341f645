import {categories} from '../definition.js'
import type {JsonPath} from '../json-tree.js'
import type {LintContext} from './lint-context.js'
import {findRepeats} from './repeats.js'
import type {Problem, Rule} from './rule.js'

const web = {name: 'web', image: 'ghcr.io/example/paste:1.4.2'}
const output = {id: 'url', label: 'Address', source: 'publicUrl:web'}
const provides = (more: object) => ({app: {connection: {outputs: [output]}, provides: [{id: 'web', outputRefs: ['url'], ...more}]}})
const requires = (more: object) => ({app: {requires: [{id: 'db', label: 'Database', envKey: 'DB_URL', ...more}]}})

/** What an app gives to other projects and takes from them, and ids that have to differ. */
export const graphRules: readonly Rule[] = [
  {
    id: 'duplicate-ids', severity: 'error', meaning: 'two services, outputs, groups or bundles of one name',
    why: 'References would mean either. Names of services, ids of outputs, setting groups, provides and requires are there once.',
    bad: {app: {services: [web, web]}}, good: {app: {services: [web, {...web, name: 'worker'}]}},
    check: findDuplicates,
  },
  {
    id: 'provides-category', severity: 'info', meaning: 'a bundle with a category of its own',
    why: 'Apps that look for a category find only the seven: backend, database, cms, mail, analytics, automation, other.',
    bad: provides({category: 'search'}), good: provides({category: 'database'}),
    check: ({definition}) => (definition.provides ?? []).flatMap(({category}, index) => (isCategory(category) ? [] : [{path: ['provides', index, 'category'], message: `${category} is none of the seven categories`}])),
  },
  {
    id: 'provides-empty', severity: 'warning', meaning: 'a bundle without outputs',
    why: 'It gives nothing to a project that uses it.',
    bad: provides({outputRefs: []}), good: provides({}),
    check: ({definition}) => (definition.provides ?? []).flatMap(({outputRefs}, index) => (outputRefs.length > 0 ? [] : [{path: ['provides', index, 'outputRefs'], message: 'the bundle has no outputs'}])),
  },
  {
    id: 'requires-category', severity: 'warning', meaning: 'a requirement for a category that no app has',
    why: 'It filters projects by the category of their app, so nothing is ever offered.',
    bad: requires({category: 'postgres'}), good: requires({category: 'database'}),
    check: ({definition}) => (definition.requires ?? []).flatMap(({category}, index) => (isCategory(category) ? [] : [{path: ['requires', index, 'category'], message: `no app is of the category ${category}; there are ${categories.join(', ')}`}])),
  },
]

function isCategory(category: string | undefined): category is undefined {
  return category === undefined || categories.some((known) => known === category)
}

function findDuplicates({definition, services}: LintContext): Problem[] {
  const {connection, settings = [], provides = [], requires = []} = definition
  const lists: {what: string; ids: {id: string; path: JsonPath}[]}[] = [
    {what: 'service', ids: services.map(({item, path}) => ({id: item.name, path: [...path, 'name']}))},
    {what: 'output', ids: (connection?.outputs ?? []).map(({id}, index) => ({id, path: ['connection', 'outputs', index, 'id']}))},
    {what: 'setting group', ids: settings.map(({id}, index) => ({id, path: ['settings', index, 'id']}))},
    {what: 'bundle', ids: provides.map(({id}, index) => ({id, path: ['provides', index, 'id']}))},
    {what: 'requirement', ids: requires.map(({id}, index) => ({id, path: ['requires', index, 'id']}))},
  ]
  return lists.flatMap(({what, ids}) => findRepeats(ids, ({id}) => id).map(({item: {id, path}}) => ({path, message: `there is another ${what} ${id}; rename one`})))
}
