import {z} from 'zod'
import {Deployment, ServiceOutcome} from '../../../src/contract/deployments.js'
import {DomainEvent} from '../../events/record.js'
import {defineCollection} from '../../store/collection.js'

/** What a deployment was asked to do; kept so that a restart can go on. */
export const DeploymentRequest = z.object({
  kind: z.enum(['deploy', 'refresh', 'rollback']),
  uploadId: z.string().nullable(),
  smartRoute: z.boolean(),
  useExistingCommit: z.boolean(),
  oldVolumes: z.enum(['use', 'wipe']).nullable().default(null),
  /** The deployment that counts as rejected once this one is live. */
  rejects: z.string().nullable().default(null),
  /** Who asked to cancel it. */
  cancelRequestedBy: z.string().nullable(),
  cancelActor: DomainEvent.shape.actor.nullable(),
})
export type DeploymentRequest = z.output<typeof DeploymentRequest>

export const DeploymentRecord = Deployment.omit({isActive: true, framework: true, url: true, services: true, canRollback: true, projectName: true}).extend({
  request: DeploymentRequest,
  warningMessage: Deployment.shape.warningMessage.default(null),
  /** Of an installed app; null for other projects. */
  app: z.object({hasSetup: z.boolean().describe('it has prepare steps')}).nullable().default(null),
  /** `active` while it is carried out, `waiting` behind another one, null afterwards; one of each a project. */
  slot: z.enum(['active', 'waiting']).nullable(),
  /** How far it came: what a restart goes by. */
  stage: z.enum(['before-up', 'up', 'after-up']),
  /** How often it was started; a restart of the daemon starts it again at most once. */
  attempt: z.int(),
  /** Of the output, once it has ended. */
  outputBytes: z.int(),
  /** Whether the images and files of its release are kept. */
  retained: z.boolean(),
})
export type DeploymentRecord = z.output<typeof DeploymentRecord>

export const Deployments = defineCollection({
  name: 'deployments',
  version: 1,
  schema: DeploymentRecord,
  indexes: {
    project: {fields: ['projectId']},
    organization: {fields: ['organizationId']},
    slot: {fields: ['projectId', 'slot'], unique: true, sparse: true},
    open: {fields: ['slot'], sparse: true},
    status: {fields: ['status']},
  },
})

export const ServiceOutcomes = defineCollection({
  name: 'service_outcomes',
  version: 1,
  schema: ServiceOutcome,
  indexes: {deployment: {fields: ['deploymentId'], orderBy: 'serviceName'}, service: {fields: ['deploymentId', 'serviceId'], unique: true}},
})

/** One service of a release as it was deployed. Its definition and environment are in the model. */
export const ReleaseService = z.object({
  serviceId: z.string(),
  name: z.string(),
  /** What the Compose file names. */
  imageRef: z.string(),
  /** The tag of ours that keeps exactly this image. */
  keptTag: z.string(),
  imageId: z.string(),
  digest: z.string().nullable(),
  built: z.boolean(),
  /** The deployment that last changed this service. */
  changedIn: z.string(),
  /** Content identity of its build context, to tell what changed; null where its image is not built here. */
  fingerprint: z.string().nullable(),
})
export type ReleaseService = z.output<typeof ReleaseService>

/** The image of a service as it lies on the server. */
export type PreparedImage = Omit<ReleaseService, 'serviceId' | 'name' | 'changedIn'>

/** What is needed to bring a release back, frozen when it was made. The id is that of the deployment. */
export const ReleaseRecord = z.object({
  id: z.string(),
  projectId: z.string(),
  organizationId: z.string(),
  serverId: z.string().nullable(),
  /** Sealed: the Compose file as it was written on the server. */
  composeText: z.string(),
  /** Sealed JSON: what that file was written from. */
  model: z.string(),
  /** Sealed JSON: the files that go with it. */
  files: z.string(),
  /** Sealed JSON: what its services were described in. */
  texts: z.string(),
  services: z.array(ReleaseService),
  createdAt: z.string(),
})
export type ReleaseRecord = z.output<typeof ReleaseRecord>

export const Releases = defineCollection({name: 'releases', version: 1, schema: ReleaseRecord, indexes: {project: {fields: ['projectId']}}})

/** Whose a slug is on a server. */
export const NameClaim = z.object({
  id: z.string(),
  /** Empty for the machine of the daemon, so that the unique index covers it. */
  serverId: z.string(),
  slug: z.string(),
  projectId: z.string(),
})
export type NameClaim = z.output<typeof NameClaim>

export const NameClaims = defineCollection({
  name: 'name_claims',
  version: 1,
  schema: NameClaim,
  indexes: {name: {fields: ['serverId', 'slug'], unique: true}, project: {fields: ['projectId']}},
})
