import {z} from 'zod'
import {Project} from '../../src/contract/project.js'
import {Service} from '../../src/contract/services.js'
import {defineCollection} from '../store/collection.js'

/** A project as it is stored. What its releases and its server say is worked out on reading. */
export const ProjectRecord = Project.omit({
  source: true, enabled: true, groupId: true, hasDeployKey: true, composeProjectName: true, deployTarget: true, serverName: true,
  activeDeploymentStatus: true, activeVersion: true, status: true,
}).extend({
  /** Sealed; an OpenSSH private key. */
  deployKey: z.string().nullable(),
  gitUsername: z.string().nullable(),
  /** Sealed. */
  gitPassword: z.string().nullable(),
  /** Somebody said which port it is, so that it does not follow what the image exposes. */
  portGiven: z.boolean().default(true),
  /** The last upload that was deployed or is to be. */
  uploadId: z.string().nullable(),
  /** For installed apps: the definition as it was when it was installed or last updated, as JSON text. */
  appDefinition: z.string().nullable(),
  /** The releases count up from 1. */
  lastVersion: z.int(),
})
export type ProjectRecord = z.output<typeof ProjectRecord>

/** What a project has before anybody says otherwise. */
export const newProjectFields = {
  environmentName: 'Production',
  environmentSlug: 'production',
  environmentType: 'production',
  projectType: 'app',
  isApp: false,
  appTemplateId: null,
  gitProvider: 'github',
  gitUrl: null,
  gitOwner: null,
  gitRepo: null,
  gitBranch: 'main',
  sourceKind: null,
  buildKind: null,
  localPath: null,
  image: null,
  framework: 'unknown',
  packageManager: 'npm',
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  outputDirectory: null,
  rootDirectory: null,
  composePath: null,
  composeProfiles: [],
  dockerfile: null,
  buildImage: null,
  port: 3000,
  portGiven: false,
  volumes: null,
  submodules: false,
  runtimeMode: null,
  serverId: null,
  autoDeploy: false,
  forceDeployNext: false,
  monorepoSharedPaths: null,
  alwaysRebuildPaths: null,
  rollbackWindow: null,
  defaultRollbackStrategy: 'git',
  hasServer: true,
  hasBuild: true,
  activeDeploymentId: null,
  deletionInProgress: false,
  disabledAt: null,
  deployKey: null,
  gitUsername: null,
  gitPassword: null,
  uploadId: null,
  appDefinition: null,
  lastVersion: 0,
} satisfies Partial<ProjectRecord>

export const Projects = defineCollection({
  name: 'projects',
  version: 2,
  schema: ProjectRecord,
  indexes: {
    organization: {fields: ['organizationId']},
    slug: {fields: ['organizationId', 'slug'], unique: true},
    name: {fields: ['organizationId', 'name'], unique: true},
    server: {fields: ['serverId'], sparse: true},
    app: {fields: ['organizationId', 'appTemplateId'], sparse: true},
  },
  migrations: {2: ({status, ...project}) => ({...newProjectFields, ...project, disabledAt: status === 'disabled' ? project['updatedAt'] : null})},
})

/** A service as it is stored: its own values of the environment sealed, and what its source said last, so that later edits show. */
export const ServiceRecord = Service.omit({environment: true, drift: true}).extend({
  organizationId: z.string(),
  /** Values sealed. */
  environment: z.record(z.string(), z.string()),
  /** The fields as the Compose file of the source gave them last; null where no source did. Values of its environment sealed. */
  upstream: z.record(z.string(), z.unknown()).nullable(),
  /** Fields whose upstream value changed while they were edited here. */
  drift: z.array(z.string()),
})
export type ServiceRecord = z.output<typeof ServiceRecord>

export const Services = defineCollection({
  name: 'services',
  version: 1,
  schema: ServiceRecord,
  indexes: {project: {fields: ['projectId'], orderBy: 'sortOrder'}, name: {fields: ['projectId', 'name'], unique: true}},
})

export const EnvRecord = z.object({
  id: z.string(),
  organizationId: z.string(),
  projectId: z.string(),
  /** Empty for the whole project, so that the unique index covers it. */
  serviceId: z.string(),
  environment: z.enum(['production', 'preview', 'development']),
  key: z.string(),
  /** Sealed. */
  value: z.string(),
  isSecret: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type EnvRecord = z.output<typeof EnvRecord>

export const EnvVars = defineCollection({
  name: 'env_vars',
  version: 1,
  schema: EnvRecord,
  indexes: {
    project: {fields: ['projectId'], orderBy: 'key'},
    scope: {fields: ['projectId', 'serviceId', 'environment'], orderBy: 'key'},
    key: {fields: ['projectId', 'serviceId', 'environment', 'key'], unique: true},
  },
})
