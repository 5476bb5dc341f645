import {createHash} from 'node:crypto'
import type {ComposeBuild} from '../../../src/compose/compose-model.js'
import {Fault} from '../../../src/contract/faults.js'
import {openFiles} from '../sources/open-files.js'
import type {SourceTree} from '../sources/source.js'
import type {DeploymentContext} from './deployment-context.js'
import {DeploymentFailure, isDiskFault} from './deployment-failure.js'
import type {PlannedService} from './plan.js'
import type {PreparedImage} from './records.js'
import {keptTag} from './release-folders.js'

/** Builds the image of a service, unless what it is built from is the same as in the release that is served and the image is still there. */
export async function buildImage(context: DeploymentContext, service: PlannedService & {readonly build: ComposeBuild}, source: SourceTree | null): Promise<PreparedImage> {
  const {engine, log, signal} = context
  const {name, build, previous, mustBuild} = service
  // A Dockerfile that is written down in place needs no files beside it.
  const tree = source ?? (build.dockerfileInline === null ? null : openFiles({}))
  if (tree === null) throw new DeploymentFailure('source', `service ${name} is built from files, and the project has none`, {service: name, code: 'NOTHING_TO_DEPLOY'})
  const fingerprint = await fingerprintOf(tree, build)
  const before = previous?.release
  if (before?.built === true && before.fingerprint === fingerprint && !mustBuild) {
    const there = await engine.image(before.keptTag, {signal})
    if (there?.id === before.imageId) {
      log.line(`${name}: nothing it is built from has changed`, {service: name})
      return imageOf(before)
    }
  }
  log.line(`build ${name} from ${build.context === '.' ? 'the source' : build.context}`, {service: name})
  const tag = keptTag(context.project, name, context.deployment.id)
  const facts = await runBuild(context, {service, tree, tag})
  if (before?.built === true && before.imageId === facts.id) {
    // The same image again: it keeps its name, so that its container is left alone.
    await engine.tag(facts.id, before.keptTag, {signal})
    await engine.removeImage(tag, {signal})
    return {...imageOf(before), fingerprint}
  }
  return {imageRef: tag, keptTag: tag, imageId: facts.id, digest: null, built: true, fingerprint}
}

function imageOf({imageRef, keptTag, imageId, digest, built, fingerprint}: PreparedImage): PreparedImage {
  return {imageRef, keptTag, imageId, digest, built, fingerprint}
}

/** What an image is built from, as a hash. */
export async function fingerprintOf(tree: SourceTree, build: ComposeBuild): Promise<string> {
  const {context, ...rest} = build
  const contextId = await tree.contextId(context, {dockerfile: dockerfileOf(build)})
  return createHash('sha256').update(JSON.stringify([contextId, rest])).digest('hex')
}

/** Under this name a Dockerfile goes along that is no file of the source. */
const inlineName = '.dockerfile.inline'

function dockerfileOf({dockerfile, dockerfileInline}: ComposeBuild): string {
  return dockerfileInline === null ? dockerfile : inlineName
}

interface Build {
  readonly service: PlannedService & {readonly build: ComposeBuild}
  readonly tree: SourceTree
  readonly tag: string
}

async function runBuild({engine, log, signal, logins}: DeploymentContext, {service, tree, tag}: Build) {
  const {name, build} = service
  const {context, args, target, dockerfileInline} = build
  const dockerfile = dockerfileOf(build)
  const path = context === '.' ? dockerfile : `${context}/${dockerfile}`
  if (dockerfileInline === null && (await tree.has(path)) !== 'file') throw new DeploymentFailure('source', `service ${name} is built with ${path}, which is not in the source`, {service: name, code: 'COMPOSE_INVALID'})
  let last = ''
  try {
    return await engine.build(tree.pack(context, {dockerfile, dockerfileText: dockerfileInline ?? undefined, signal}), {
      dockerfile, tag, args, signal, logins,
      ...(target !== null && {target}),
      // A label would be one more layer, and one that names the deployment a new image every time.
      labels: {},
      onLine(line) {
        if (line.trim() !== '') last = line.trim()
        log.line(line, {service: name})
      },
    })
  } catch (error) {
    if (signal.aborted || !(error instanceof Fault) || error.code !== 'CONFLICT') throw error
    const why = error.message === '' ? last : error.message
    throw new DeploymentFailure(isDiskFault(error) ? 'disk' : 'build', `the image of ${name} could not be built: ${why}`, {service: name, cause: error})
  }
}
