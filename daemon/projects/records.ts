import {z} from 'zod'
import {Project} from '../../src/contract/projects.js'
import {defineCollection} from '../store/collection.js'

export const ProjectRecord = Project.omit({source: true, enabled: true})
export type ProjectRecord = z.output<typeof ProjectRecord>

export const Projects = defineCollection({
  name: 'projects',
  version: 1,
  schema: ProjectRecord,
  indexes: {
    organization: {fields: ['organizationId']},
    slug: {fields: ['organizationId', 'slug'], unique: true},
    name: {fields: ['organizationId', 'name'], unique: true},
  },
})
