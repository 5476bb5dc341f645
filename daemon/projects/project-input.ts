import {invalidInput} from '../../src/contract/faults.js'
import type {projectRoutes} from '../../src/contract/projects.js'
import type {ParsedInput} from '../../src/contract/route.js'
import {newId} from '../store/ids.js'
import {newProjectFields, type ProjectRecord} from './records.js'
import {toSlug} from './slug.js'

export type ProjectWish = ParsedInput<typeof projectRoutes.create>['body']
export type ProjectChange = ParsedInput<typeof projectRoutes.update>['body']

/** The record of a new project. What is not said is worked out from what is. */
export function newProject(wish: ProjectWish, organizationId: string, now: string): ProjectRecord {
  const slug = wish.slug ?? toSlug(wish.name)
  if (slug === '') throw invalidInput([{path: '/name', message: 'needs a letter or digit, or give a slug'}])
  const given = dropUndefined(wish)
  const sourceKind = wish.sourceKind ?? sourceKindOf(wish)
  return {
    ...newProjectFields,
    ...given,
    id: newId('proj'),
    organizationId,
    name: wish.name,
    slug,
    sourceKind,
    portGiven: wish.port !== undefined,
    gitProvider: wish.gitProvider ?? providerOf(wish, sourceKind),
    gitUrl: wish.gitUrl ?? null,
    createdAt: now,
    updatedAt: now,
  }
}

/** A project with what a client may change of it. */
export function changeProject(project: ProjectRecord, change: ProjectChange, now: string): ProjectRecord {
  return {...project, ...dropUndefined(change), ...(change.port !== undefined && {portGiven: true}), updatedAt: now}
}

// An optional field that is undefined means "not said", never "cleared".
function dropUndefined<T extends object>(value: T): {[K in keyof T]: Exclude<T[K], undefined>} {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as {[K in keyof T]: Exclude<T[K], undefined>}
}

function sourceKindOf(wish: ProjectWish): ProjectRecord['sourceKind'] {
  if (wish.image != null && wish.image !== '') return 'image'
  if (wish.gitUrl !== undefined || (wish.gitOwner !== undefined && wish.gitRepo !== undefined)) return 'git'
  return null
}

function providerOf(wish: ProjectWish, sourceKind: ProjectRecord['sourceKind']): ProjectRecord['gitProvider'] {
  if (wish.localPath != null) return 'local'
  if (sourceKind === 'upload') return 'upload'
  const url = wish.gitUrl ?? ''
  return url.includes('gitlab') ? 'gitlab' : url.includes('bitbucket') ? 'bitbucket' : 'github'
}
