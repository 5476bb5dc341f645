import type {StoreReader} from '../../../store/store.js'
import {Deployments} from '../../deployments/records.js'
import {Projects} from '../../records.js'

/** Ids of uploads that a project is to deploy, or that a deployment uses which goes on or whose release is kept. */
export async function usedUploads(reader: StoreReader): Promise<Set<string>> {
  const used = new Set<string>()
  for await (const {uploadId} of reader.all(Projects)) if (uploadId !== null) used.add(uploadId)
  for await (const {request, slot, retained} of reader.all(Deployments)) if (request.uploadId !== null && (slot !== null || retained)) used.add(request.uploadId)
  return used
}

/** Ids of the uploads of one project and of no other. */
export async function uploadsOf(reader: StoreReader, projectId: string): Promise<string[]> {
  const own = new Set<string>()
  const others = new Set<string>()
  for await (const {id, uploadId} of reader.all(Projects)) if (uploadId !== null) (id === projectId ? own : others).add(uploadId)
  for await (const {projectId: of, request} of reader.all(Deployments)) if (request.uploadId !== null) (of === projectId ? own : others).add(request.uploadId)
  return [...own].filter((id) => !others.has(id))
}
