import {z} from 'zod'
import {defineCollection} from '../../store/collection.js'

/** The upload of a folder: asked for, then sent once. Its id names the folder that keeps what was sent. */
export const UploadSession = z.object({
  id: z.string(),
  organizationId: z.string(),
  createdBy: z.string(),
  name: z.string(),
  packageManager: z.string().nullable(),
  stack: z.string().nullable(),
  /** SHA-256, in hex. */
  ticketHash: z.string(),
  bytes: z.int().nullable(),
  files: z.int().nullable(),
  createdAt: z.string(),
  /** Until then it can be sent; afterwards it is kept as long as a project or release uses it. */
  expiresAt: z.string(),
  /** Null until all of it is on disk. */
  receivedAt: z.string().nullable(),
})
export type UploadSession = z.output<typeof UploadSession>

export const UploadSessions = defineCollection({
  name: 'upload_sessions',
  version: 1,
  schema: UploadSession,
  indexes: {organization: {fields: ['organizationId']}},
})
