import {z} from 'zod'
import {DeclaredJob, ManifestName} from '../contract/job.js'

/** Where a secret comes from: a job file holds none itself. */
const SecretReference = z.union([z.strictObject({fromEnv: z.string().min(1)}), z.strictObject({fromFile: z.string().min(1)})], {
  error: 'must be {fromEnv: NAME} or {fromFile: PATH}; a job file holds no secrets itself',
})

const FileJob = DeclaredJob.extend({
  label: DeclaredJob.shape.label.optional(),
  servers: z.array(z.string().min(1)).min(1).max(50).optional().describe('ids or names'),
  secrets: z.record(z.string(), SecretReference).optional(),
})
export type FileJob = z.output<typeof FileJob>

/** A file that declares jobs: the fields of the API, servers also by name, secrets only by reference. */
export const JobFile = z.strictObject({manifest: ManifestName, jobs: z.array(FileJob).max(1000)})
export type JobFile = z.output<typeof JobFile>
