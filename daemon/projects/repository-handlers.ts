import {Fault} from '../../src/contract/faults.js'
import type {repositoryRoutes} from '../../src/contract/repositories.js'
import type {Handlers} from '../http/handlers.js'
import type {Sealer} from '../store/secrets.js'
import type {Store} from '../store/store.js'
import {repositoryUrl} from './deployments/choose-source.js'
import {toAccess} from './deployments/open-source.js'
import {getProject} from './find-project.js'
import type {ProjectRecord} from './records.js'
import {parseGitAddress} from './sources/git/git-address.js'
import type {Sources} from './sources/source.js'

export interface RepositoryParts {
  readonly store: Store
  readonly sealer: Sealer
  readonly sources: Pick<Sources, 'listBranches' | 'listCommits'>
}

const mostCommits = 20

/** The repositories of projects as their hosts have them. */
export function createRepositoryHandlers({store, sealer, sources}: RepositoryParts): Handlers<typeof repositoryRoutes> {
  return {
    async show({params}, {principal, signal}) {
      const project = await getProject(store, params.id, principal, 'read')
      const url = repositoryUrl(project)
      if (url === null) return {success: false as const, code: 'NO_REPOSITORY' as const, error: noRepository(project)}
      const {gitBranch: branch, gitProvider: provider, autoDeploy, defaultRollbackStrategy} = project
      const found = await sources.listCommits({projectId: project.id, access: toAccess(sealer, project, url), branch, most: mostCommits, signal}).catch((error: unknown) => {
        if (signal.aborted || !(error instanceof Fault)) throw error
        return error
      })
      return {
        success: true as const, ...nameOf(project, withoutLogin(url)), branch, provider, commits: found instanceof Fault ? [] : found, commits_error: found instanceof Fault ? found.message : null,
        auto_deploy: autoDeploy, webhook_strategy: 'none' as const, webhook_active: false, webhook_domain: null, available_strategies: [], verified_domains: [], installation_installed: false,
        default_rollback_strategy: defaultRollbackStrategy,
      }
    },

    async branches({params}, {principal, signal}) {
      const project = await getProject(store, params.id, principal, 'read')
      const url = repositoryUrl(project)
      if (url === null) throw new Fault('NO_REPOSITORY', noRepository(project), {suggestions: [`projects show ${project.slug}`]})
      return {success: true as const, data: await sources.listBranches({projectId: project.id, access: toAccess(sealer, project, url), signal})}
    },
  }
}

function noRepository({name}: ProjectRecord): string {
  return `${name} is not deployed from a repository`
}

// The last two parts of an address are its owner and its name, whatever the host.
function nameOf({gitOwner, gitRepo}: ProjectRecord, url: string | null): {owner: string | null; repo: string | null; url: string | null} {
  const [, owner, repo] = /([^/:]+)\/([^/]+?)(?:\.git)?\/?$/.exec(url ?? '') ?? []
  return {owner: gitOwner ?? owner ?? null, repo: gitRepo ?? repo ?? null, url}
}

function withoutLogin(url: string): string | null {
  try {
    return parseGitAddress(url).url
  } catch {
    // What is wrong with it is told where its commits are asked for.
    return null
  }
}
