import {appProjectRoutes} from './app-projects.js'
import {appRoutes} from './apps.js'
import {auditRoutes} from './audit.js'
import {authRoutes} from './auth.js'
import {deploymentRoutes} from './deployments.js'
import {healthRoutes} from './health.js'
import {jobRoutes} from './jobs.js'
import {memberRoutes} from './members.js'
import {projectRoutes} from './projects.js'
import {registryRoutes} from './registries.js'
import {repositoryRoutes} from './repositories.js'
import {serverRoutes} from './servers.js'
import {serviceRoutes} from './services.js'
import {tokenRoutes} from './tokens.js'
import {uploadRoutes} from './uploads.js'

/** The table of all routes, by area. Everything that speaks the API is made from it. */
export const contract = {
  health: healthRoutes,
  auth: authRoutes,
  tokens: tokenRoutes,
  members: memberRoutes,
  audit: auditRoutes,
  projects: projectRoutes,
  repositories: repositoryRoutes,
  registries: registryRoutes,
  servers: serverRoutes,
  jobs: jobRoutes,
  apps: appRoutes,
  services: serviceRoutes,
  deployments: deploymentRoutes,
  uploads: uploadRoutes,
  appProjects: appProjectRoutes,
}

export type Contract = typeof contract
