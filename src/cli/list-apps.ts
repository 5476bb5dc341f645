import {boolean, string} from '@oclif/core/flags'
import type {Client} from '../client/client.js'
import {listFlags} from './global-flags.js'

/** Of commands that list apps. */
export const appListFlags = {
  limit: {...listFlags.limit, description: 'rows to show at most (all unless given)', exclusive: []},
  category: string({description: 'only this category: backend, database, cms, mail, analytics, automation or other', helpValue: 'CATEGORY'}),
  tag: string({description: 'only apps with this tag', helpValue: 'TAG'}),
  installable: boolean({description: 'only apps that can be installed now'}),
  verified: boolean({description: 'only apps whose images come from the projects themselves'}),
  custom: boolean({description: 'only apps that your organization uploaded'}),
}

/** The field that each flag fills, for errors. */
export const appListFields = {category: '--category', tag: '--tag', limit: '--limit', q: 'TEXT'}

interface AppListFlags {
  readonly limit?: number | undefined
  readonly category?: string | undefined
  readonly tag?: string | undefined
  readonly installable: boolean
  readonly verified: boolean
  readonly custom: boolean
}

type CatalogQuery = NonNullable<NonNullable<Parameters<Client['apps']['catalog']>[0]>['query']>

const largestPage = 200

/** As many apps as were asked for, with how many there are. More than a page is asked for whole, as one answer holds all of them. */
export async function listApps(api: Client, flags: AppListFlags, options: {readonly q?: string; readonly signal: AbortSignal}) {
  const {category, tag, installable, verified, custom} = flags
  const wanted = flags.limit ?? Infinity
  const query = {
    q: options.q, tag, ...(wanted <= largestPage && {limit: wanted}), category: category as CatalogQuery['category'],
    ...(installable && {installable: 'true'}), ...(verified && {verified: 'true'}), ...(custom && {custom: 'true'}),
  }
  const {data, total, facets} = await api.apps.catalog({query}, {signal: options.signal})
  return {items: data.slice(0, wanted), next: null, total, facets}
}
