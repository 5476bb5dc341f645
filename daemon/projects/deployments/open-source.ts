import {Fault} from '../../../src/contract/faults.js'
import type {Sealer} from '../../store/secrets.js'
import type {ProjectRecord} from '../records.js'
import {deployKeyContext, gitPasswordContext} from '../sealed-fields.js'
import type {GitAccess, Sources, SourceTree} from '../sources/source.js'
import type {AppContent} from './app-content.js'
import {chooseSource} from './choose-source.js'
import type {DeploymentContext} from './deployment-context.js'

export interface OpenSourceParts {
  readonly sources: Sources
  readonly sealer: Sealer
}

/** The files that a project is deployed from, for an installed app those that its images are built from; null where it has none, as one of a single image. */
export async function openSource({sources, sealer}: OpenSourceParts, {deployment, project, book, log, signal}: DeploymentContext, app: AppContent | null = null): Promise<SourceTree | null> {
  const source = chooseSource(project, deployment.request.uploadId)
  if (source.kind === 'image' || source.kind === 'services') {
    await book.markStep('clone', 'skipped')
    return app === null || Object.keys(app.buildFiles).length === 0 ? null : sources.openFiles(app.buildFiles)
  }
  log.begin('clone')
  await book.markStep('clone', 'running')
  const tree = await open()
  const {commitSha, commitMessage, branch} = tree
  if (commitSha !== null) log.line(`commit ${commitSha.slice(0, 12)}${branch === null ? '' : ` of ${branch}`}${commitMessage === null ? '' : `: ${commitMessage.split('\n', 1)[0] ?? ''}`}`)
  await book.patch({...(commitSha !== null && {commitSha, commitMessage}), ...(branch !== null && {branch})})
  await log.flush()
  return tree

  async function open(): Promise<SourceTree> {
    switch (source.kind) {
      case 'git': {
        const {branch, commitSha} = deployment
        return sources.fetchGit({
          projectId: project.id, access: toAccess(sealer, project, source.url), branch: branch ?? project.gitBranch, commitSha: deployment.request.useExistingCommit ? commitSha : null,
          submodules: project.submodules, signal, onLine: (line) => log.line(line),
        })
      }
      case 'upload':
        return sources.openUpload(source.uploadId, project.organizationId, signal)
      case 'folder':
        return sources.openFolder(source.path, signal)
      case 'image':
      case 'services':
        throw new Fault('INTERNAL', 'there are no files to open')
    }
  }
}

/** How the repository of a project is reached. */
export function toAccess(sealer: Sealer, {id, deployKey, gitUsername, gitPassword}: ProjectRecord, url: string): GitAccess {
  return {
    url,
    deployKey: deployKey === null ? null : sealer.open(deployKey, deployKeyContext(id)),
    username: gitUsername,
    password: gitPassword === null ? null : sealer.open(gitPassword, gitPasswordContext(id)),
  }
}
