import {z} from 'zod'
import {Link} from '../../../src/contract/app-projects.js'
import {defineCollection} from '../../store/collection.js'

/** A value of one project that another one gets. The value itself is a variable of the other, under the key. */
export const LinkRecord = Link.omit({sourceName: true, sourceAppTemplateId: true, shadowedBy: true}).extend({organizationId: z.string(), createdAt: z.string()})
export type LinkRecord = z.output<typeof LinkRecord>

export const Links = defineCollection({
  name: 'project_links',
  version: 1,
  schema: LinkRecord,
  indexes: {
    source: {fields: ['sourceProjectId'], orderBy: 'envKey'},
    target: {fields: ['targetProjectId'], orderBy: 'envKey'},
    key: {fields: ['targetProjectId', 'envKey'], unique: true},
  },
})
