import type {CatalogEntry} from '../../src/contract/apps.js'
import type {Category} from '../../src/catalog/definition.js'

/** An entry with what searches look at, worked out once. */
export interface Listed {
  readonly entry: CatalogEntry
  readonly text: string
  readonly tags: readonly string[]
}

export interface AppSearch {
  readonly q?: string | undefined
  readonly category?: Category | undefined
  readonly tag?: string | undefined
  readonly installable?: boolean | undefined
  readonly custom?: boolean | undefined
  readonly verified?: boolean | undefined
  readonly limit?: number | undefined
  readonly offset: number
}

export interface Found {
  readonly data: CatalogEntry[]
  readonly total: number
  readonly facets: {readonly categories: Facet[]; readonly tags: Facet[]}
}

interface Facet {
  readonly value: string
  readonly count: number
}

export function toListed(entry: CatalogEntry): Listed {
  const {name, description, tags} = entry
  return {entry, text: [name, description, ...tags].join('\n').toLowerCase(), tags: tags.map((tag) => tag.toLowerCase())}
}

/** What matches, in the order of the list, cut to the page; facets count all of it. */
export function searchApps(apps: readonly Listed[], search: AppSearch): Found {
  const found = apps.filter((app) => matches(app, search))
  const end = search.limit === undefined ? undefined : search.offset + search.limit
  return {
    data: found.slice(search.offset, end).map(({entry}) => entry),
    total: found.length,
    facets: {categories: countCategories(found), tags: countTags(found)},
  }
}

function matches({entry, text, tags}: Listed, {q = '', category, tag, installable, custom, verified}: AppSearch): boolean {
  return (
    (q === '' || text.includes(q.toLowerCase())) &&
    (category === undefined || entry.category === category) &&
    (tag === undefined || tags.includes(tag.toLowerCase())) &&
    (installable === undefined || isInstallable(entry) === installable) &&
    (custom === undefined || entry.custom === custom) &&
    (verified === undefined || entry.verified === verified)
  )
}

export function isInstallable({comingSoon, requiresUpdate}: Pick<CatalogEntry, 'comingSoon' | 'requiresUpdate'>): boolean {
  return !comingSoon && requiresUpdate === undefined
}

// As tabs show them.
const categoryOrder: readonly Category[] = ['backend', 'database', 'cms', 'analytics', 'automation', 'mail', 'other']

function countCategories(found: readonly Listed[]): Facet[] {
  return categoryOrder
    .map((value) => ({value, count: found.filter(({entry}) => entry.category === value).length}))
    .filter(({count}) => count > 0)
}

// A tag is one however it is written; the first way of writing it is shown.
function countTags(found: readonly Listed[]): Facet[] {
  const counts = new Map<string, {value: string; count: number}>()
  for (const {entry, tags} of found) {
    for (const key of new Set(tags)) {
      const known = counts.get(key) ?? {value: entry.tags[tags.indexOf(key)] ?? key, count: 0}
      counts.set(key, {...known, count: known.count + 1})
    }
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}
