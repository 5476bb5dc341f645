import {z} from 'zod'
import {defineCollection} from '../store/collection.js'

/** An app that an organization uploaded. */
export const CustomAppRecord = z.object({
  id: z.string(),
  organizationId: z.string(),
  appId: z.string(),
  /** The id in lower case: ids that differ only in case are one. */
  appIdKey: z.string(),
  /** The definition as JSON, as it came: keys that this release does not know come back once a newer one does. */
  definitionText: z.string(),
  /** Counts up with every upload. */
  revision: z.int(),
  createdByUserId: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type CustomAppRecord = z.output<typeof CustomAppRecord>

export const CustomApps = defineCollection({
  name: 'custom_apps',
  version: 1,
  schema: CustomAppRecord,
  indexes: {
    organization: {fields: ['organizationId']},
    app: {fields: ['organizationId', 'appIdKey'], unique: true},
  },
})

/** The catalog as it was last fetched; one row. The text is kept as it came and read by whichever release runs. */
export const CatalogCopies = defineCollection({
  name: 'catalog_copies',
  version: 1,
  schema: z.object({id: z.literal('remote'), url: z.string(), etag: z.string().nullable(), text: z.string()}),
  indexes: {},
})

export const CatalogCheck = z.object({
  id: z.literal('remote'),
  url: z.string(),
  /** When the copy was last confirmed. */
  fetchedAt: z.string().nullable(),
  /** The last attempt, whatever came of it. */
  checkedAt: z.string(),
  failure: z.object({message: z.string(), since: z.string()}).nullable(),
})
export type CatalogCheck = z.output<typeof CatalogCheck>

/** How the last attempt went; apart from the copy, which is large and changes seldom. */
export const CatalogChecks = defineCollection({name: 'catalog_checks', version: 1, schema: CatalogCheck, indexes: {}})
