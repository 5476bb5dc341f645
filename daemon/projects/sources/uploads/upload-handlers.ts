import {Fault} from '../../../../src/contract/faults.js'
import type {uploadRoutes} from '../../../../src/contract/uploads.js'
import type {Principal} from '../../../access/principal.js'
import {toInstant, type Clock} from '../../../clock.js'
import type {RecordEvent} from '../../../events/event-log.js'
import type {Handlers} from '../../../http/handlers.js'
import type {Store, Transaction} from '../../../store/store.js'
import {createProject} from '../../add-project.js'
import {getProject} from '../../find-project.js'
import {Projects, type ProjectRecord} from '../../records.js'
import {scanTree} from './scan-tree.js'
import type {UploadStore} from './upload-store.js'

export interface UploadHandlerParts {
  readonly store: Store
  readonly clock: Clock
  readonly recordEvent: RecordEvent
  readonly publicUrl: string | undefined
  readonly uploads: UploadStore
}

export function createUploadHandlers({store, clock, recordEvent, publicUrl, uploads}: UploadHandlerParts): Handlers<typeof uploadRoutes> {
  return {
    async open({body}, {principal, origin}) {
      const {session, ticket} = await uploads.open({
        organizationId: principal.organizationId, createdBy: principal.userId, name: body.name, packageManager: body.packageManager ?? null, stack: body.stack ?? null,
      })
      const url = `projects/folder/upload/${session.id}`
      return {
        success: true as const,
        sessionId: session.id,
        expiresAt: session.expiresAt,
        upload: {
          url,
          absoluteUrl: `${(publicUrl ?? origin).replace(/\/+$/, '')}/api/${url}`,
          method: 'POST' as const,
          headers: {'x-upload-ticket': ticket, 'Content-Type': 'application/gzip'},
          requiresAuth: false,
        },
        limitBytes: uploads.limits.uploadBytes,
      }
    },

    async send({params, headers}, {content}) {
      return {success: true as const, ...(await uploads.receive(params.sessionId, headers['x-upload-ticket'], content))}
    },

    async scan({params}, {principal, signal}) {
      const {name, packageManager, stack} = await uploads.get(params.sessionId, principal.organizationId)
      const tree = await uploads.openTree(params.sessionId, principal.organizationId, signal)
      return {success: true as const, ...(await scanTree(tree, {name, packageManager, stack}))}
    },

    async ensure({body}, {principal, actor}) {
      const {projectId, uploadSessionId, ...wish} = body
      if (uploadSessionId !== undefined) await uploads.get(uploadSessionId, principal.organizationId)
      const now = toInstant(clock.now())
      return store.transaction(async (transaction) => {
        const found = await findProject(transaction, {projectId, name: wish.name}, principal)
        const project = found ?? (await createProject(transaction, {...wish, ...(uploadSessionId !== undefined && {sourceKind: wish.sourceKind ?? 'upload'})}, {principal, actor, recordEvent, now}))
        if (uploadSessionId !== undefined) await transaction.put(Projects, withUpload(project, uploadSessionId, now))
        return {success: true as const, project_id: project.id, created: found === undefined}
      })
    },
  }
}

// One of this name that the caller may not write is for him a name that is taken, which creating then says.
async function findProject(transaction: Transaction, {projectId, name}: {projectId: string | undefined; name: string}, principal: Principal): Promise<ProjectRecord | undefined> {
  if (projectId !== undefined) return getProject(transaction, projectId, principal, 'write')
  const named = await transaction.findOne(Projects, 'name', [principal.organizationId, name])
  if (named === undefined) return undefined
  try {
    return await getProject(transaction, named.id, principal, 'write')
  } catch (error) {
    if (error instanceof Fault && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

// A project that had no source has this one from now on.
function withUpload(project: ProjectRecord, uploadId: string, now: string): ProjectRecord {
  return {...project, uploadId, ...(project.sourceKind === null && {sourceKind: 'upload' as const, gitProvider: 'upload' as const}), updatedAt: now}
}
