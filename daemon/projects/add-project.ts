import {Fault} from '../../src/contract/faults.js'
import type {Transaction} from '../store/store.js'
import {Projects, type ProjectRecord} from './records.js'

const maximumProjects = 1000

/** Writes a new project, or says what of it is taken. */
export async function addProject(transaction: Transaction, project: ProjectRecord): Promise<void> {
  await refuseTakenName(transaction, project)
  const sameSlug = await transaction.findOne(Projects, 'slug', [project.organizationId, project.slug])
  if (sameSlug !== undefined) throw new Fault('PROJECT_EXISTS', `the slug ${project.slug} is taken; give another with slug`)
  if ((await transaction.count(Projects, 'organization', [project.organizationId])) >= maximumProjects) {
    throw new Fault('VALIDATION_ERROR', `an organization holds at most ${maximumProjects} projects`, {suggestions: ['projects list']})
  }
  await transaction.insert(Projects, project)
}

/** A name is taken once an organization. */
export async function refuseTakenName(transaction: Transaction, project: ProjectRecord): Promise<void> {
  const same = await transaction.findOne(Projects, 'name', [project.organizationId, project.name])
  if (same !== undefined && same.id !== project.id) throw new Fault('PROJECT_EXISTS', `a project named ${project.name} is there already`, {suggestions: ['projects list']})
}
