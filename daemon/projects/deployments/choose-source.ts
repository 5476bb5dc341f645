import type {ProjectRecord} from '../records.js'

/** Where the files or the image of a deployment come from. */
export type ChosenSource =
  | {readonly kind: 'git'; readonly url: string}
  | {readonly kind: 'upload'; readonly uploadId: string}
  | {readonly kind: 'folder'; readonly path: string}
  | {readonly kind: 'image'; readonly image: string}
  /** The services as they are described here: installed apps, and projects put together by hand. */
  | {readonly kind: 'services'}

type Described = Pick<ProjectRecord, 'sourceKind' | 'gitProvider' | 'gitUrl' | 'gitOwner' | 'gitRepo' | 'localPath' | 'image' | 'uploadId'>

/** What a project is deployed from. An upload that was named wins, then what the project says it is, then what is there. */
export function chooseSource(project: Described, uploadId: string | null): ChosenSource {
  if (uploadId !== null) return {kind: 'upload', uploadId}
  if (project.sourceKind === 'app') return {kind: 'services'}
  if (project.sourceKind === 'image' && isGiven(project.image)) return {kind: 'image', image: project.image}
  if (project.sourceKind === 'upload' && project.uploadId !== null) return {kind: 'upload', uploadId: project.uploadId}
  const url = repositoryUrl(project)
  if (url !== null) return {kind: 'git', url}
  if (isGiven(project.localPath)) return {kind: 'folder', path: project.localPath}
  if (project.uploadId !== null) return {kind: 'upload', uploadId: project.uploadId}
  return isGiven(project.image) ? {kind: 'image', image: project.image} : {kind: 'services'}
}

function isGiven(text: string | null): text is string {
  return text !== null && text !== ''
}

const codeHosts: Readonly<Record<string, string>> = {github: 'github.com', gitlab: 'gitlab.com', bitbucket: 'bitbucket.org'}

/** The address of the repository, given whole or as owner and name at a known host. */
export function repositoryUrl({gitProvider, gitUrl, gitOwner, gitRepo}: Pick<Described, 'gitProvider' | 'gitUrl' | 'gitOwner' | 'gitRepo'>): string | null {
  if (isGiven(gitUrl)) return gitUrl
  const host = codeHosts[gitProvider]
  return host !== undefined && isGiven(gitOwner) && isGiven(gitRepo) ? `https://${host}/${gitOwner}/${gitRepo}.git` : null
}
