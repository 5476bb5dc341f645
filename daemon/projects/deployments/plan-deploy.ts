import type {ComposeNetwork, ComposeService} from '../../../src/compose/compose-model.js'
import {layerEnvironment} from '../../../src/catalog/layer-environment.js'
import {fromServiceFields} from '../../../src/compose/from-service-fields.js'
import {Fault} from '../../../src/contract/faults.js'
import type {Sealer} from '../../store/secrets.js'
import {toInstant, type Clock} from '../../clock.js'
import type {Store} from '../../store/store.js'
import type {Engines} from '../../servers/engine/engine.js'
import {joinLinks} from '../connections/link-networks.js'
import {openEnv} from '../env-book.js'
import {projectUrls} from '../public-urls.js'
import type {ServiceRecord} from '../records.js'
import {servicesOf} from '../service-handlers.js'
import type {SourceTree} from '../sources/source.js'
import type {AppContent, ReadAppContent} from './app-content.js'
import {chooseServices, type ServiceChoice} from './choose-services.js'
import {chooseSource} from './choose-source.js'
import type {DeploymentContext} from './deployment-context.js'
import {findLinks} from './find-links.js'
import {dressService} from './dress-service.js'
import {openSource, type OpenSourceParts} from './open-source.js'
import {keepTexts} from './kept-texts.js'
import {keptServices, type DeploymentPlan, type PlannedService} from './plan.js'
import {projectSecrets} from './project-secrets.js'
import {imageDefinition, readDefinition, type SourceDefinition} from './read-definition.js'
import type {ReleaseFiles, ReleaseTexts} from './release-book.js'
import {projectFolder} from './release-folders.js'
import {mergeResources} from './release-resources.js'
import {resolveMounts} from './resolve-mounts.js'
import {syncServices, toPlainFields} from './sync-services.js'

export interface PlanParts extends OpenSourceParts {
  readonly store: Store
  readonly sealer: Sealer
  readonly clock: Clock
  readonly readAppContent: ReadAppContent
  readonly engines: Engines
}

/** Plans a deployment of what the source of a project says now, and what was edited here. */
export async function planDeploy(parts: PlanParts, context: DeploymentContext): Promise<DeploymentPlan> {
  const {book, log, project, deployment, active} = context
  const app = await readApp(parts, context)
  const tree = await openSource(parts, context, app)
  try {
    const links = await findLinks(parts, context)
    const scope = {organizationId: project.organizationId, projectId: project.id, serviceId: null, environment: deployment.environment}
    const variables = await openEnv(parts.store, parts.sealer, scope)
    const {definition, texts} = await readSource(context, tree, variables)
    for (const warning of definition?.warnings ?? []) log.line(warning, {level: 'warn'})
    const rows = await takeOver(parts, context, definition)
    const described = await Promise.all(rows.map((row) => describe(parts, {context, row, variables, links, folder: definition?.folder ?? '.'})))
    const services = app === null ? described : await dress(parts, context, {app, services: described})
    const choice = await choose(context, {services, tree, folder: definition?.folder ?? '.'})
    const planned = planServices(context, services, choice)
    const located = await locateFiles(context, planned, tree)
    const resources = mergeResources(located.services, {definition, links, active: choice.only === null ? null : active})
    if (tree !== null && app === null) await book.markStep('clone', 'completed')
    return {...resources, services: located.services, files: located.files, texts, tree, ownPort: definition?.ownPort ?? undefined}
  } catch (error) {
    await tree?.dispose()
    throw error
  }
}

async function readApp({store, sealer, readAppContent}: PlanParts, {project, deployment, log}: DeploymentContext): Promise<AppContent | null> {
  if (chooseSource(project, deployment.request.uploadId).kind !== 'services') return null
  const app = await readAppContent(project)
  if (app === null) return null
  // It may have made secrets that were not there yet.
  log.hide(await projectSecrets(store, sealer, project))
  for (const warning of app.warnings) log.line(warning, {level: 'warn'})
  return app
}

async function dress({store}: PlanParts, {project, log}: DeploymentContext, {app, services}: {readonly app: AppContent; readonly services: readonly DescribedService[]}): Promise<DescribedService[]> {
  const {urls} = await projectUrls(store, project)
  return services.map(({serviceId, definition: plain}) => {
    const {definition, warnings} = dressService(plain, app, urls)
    for (const warning of warnings) log.line(warning, {level: 'warn', service: plain.name})
    return {serviceId, definition}
  })
}

async function readSource({project, deployment}: DeploymentContext, tree: SourceTree | null, variables: Readonly<Record<string, string>>): Promise<{readonly definition: SourceDefinition | null; readonly texts: ReleaseTexts}> {
  if (tree !== null && tree.kind !== 'app') {
    const kept = keepTexts(tree)
    return {definition: await readDefinition(kept.tree, project, variables), texts: kept.texts}
  }
  const source = chooseSource(project, deployment.request.uploadId)
  return {definition: source.kind === 'image' ? imageDefinition(project, source.image) : null, texts: {}}
}

async function takeOver({store, sealer, clock}: PlanParts, {project}: DeploymentContext, definition: SourceDefinition | null): Promise<ServiceRecord[]> {
  const rows = await store.transaction(async (transaction) => {
    if (definition !== null) await syncServices(transaction, definition.services, {sealer, project, now: toInstant(clock.now())})
    return servicesOf(transaction, project.id)
  })
  const enabled = rows.filter((row) => row.enabled)
  if (enabled.length === 0) throw new Fault('NOTHING_TO_DEPLOY', `${project.name} has no service that is enabled`, {suggestions: [`services list --project ${project.slug}`]})
  return enabled
}

interface DescribeInput {
  readonly context: DeploymentContext
  readonly row: ServiceRecord
  readonly variables: Readonly<Record<string, string>>
  readonly links: readonly ComposeNetwork[]
  readonly folder: string
}

interface DescribedService {
  readonly serviceId: string
  readonly definition: ComposeService
}

async function describe({store, sealer}: PlanParts, {context: {deployment}, row, variables, links, folder}: DescribeInput): Promise<DescribedService> {
  const {service, problems} = fromServiceFields(toPlainFields(row, sealer), {folder})
  const [problem] = problems
  if (problem !== undefined) throw new Fault('SERVICE_INVALID', `service ${row.name}: ${problem.field}: ${problem.message}`, {details: {service: row.name, problems}})
  const own = await openEnv(store, sealer, {organizationId: row.organizationId, projectId: row.projectId, serviceId: row.id, environment: deployment.environment})
  const {environment} = layerEnvironment({project: variables, inline: service.environment, rows: own})
  return {serviceId: row.id, definition: joinLinks({...service, environment}, links)}
}

interface ChooseInput {
  readonly services: readonly DescribedService[]
  readonly tree: SourceTree | null
  readonly folder: string
}

async function choose({deployment, project, active, book, signal, log}: DeploymentContext, {services, tree, folder}: ChooseInput): Promise<ServiceChoice> {
  const {forceAll, targetServiceIds, request: {smartRoute}} = deployment
  const before = active === null ? null : await book.commitOf(active.id)
  await book.patch({commitShaBefore: before})
  const changedPaths = smartRoute && tree !== null && before !== null ? await tree.changedSince(before, signal) : null
  if (smartRoute && deployment.changedPaths === null) await book.patch({changedPaths: changedPaths?.slice(0, 1000) ?? null, changedPathsTruncated: (changedPaths?.length ?? 0) > 1000})
  const choice = chooseServices({forceAll, targetServiceIds, smartRoute: smartRoute && active !== null}, {
    services: services.map(({serviceId, definition}) => ({serviceId, context: definition.build?.context ?? null})),
    changedPaths, commitMessage: tree?.commitMessage ?? null, composeFolder: folder,
    sharedPaths: [...(project.monorepoSharedPaths ?? []), ...(project.alwaysRebuildPaths ?? [])],
  })
  const names = services.filter(({serviceId}) => choice.only?.has(serviceId)).map(({definition}) => definition.name)
  if (choice.only !== null) log.line(`only ${names.join(', ')}; the others are carried forward as they are`)
  return choice
}

/** What each service is to become: those that were chosen as they are described now, the others as they are served. */
function planServices({active}: DeploymentContext, services: readonly DescribedService[], {only, reason, isForced}: ServiceChoice): PlannedService[] {
  const kept = keptServices(active)
  const wanted = only === null ? null : withNewDependencies(services, only, kept)
  const chosen = services.filter(({serviceId}) => wanted === null || wanted.has(serviceId))
  const planned = chosen.map(({serviceId, definition}): PlannedService => ({
    serviceId, name: definition.name, reason, definition, hostPaths: {}, previous: kept.get(serviceId) ?? null, mustChange: isForced, mustBuild: isForced, image: null,
  }))
  if (wanted === null) return planned
  const carried = [...kept.values()].filter(({release}) => !wanted.has(release.serviceId))
  return [...planned, ...carried.map((previous): PlannedService => ({
    serviceId: previous.release.serviceId, name: previous.release.name, reason: 'unchanged', definition: null, hostPaths: {}, previous, mustChange: false, mustBuild: false, image: null,
  }))]
}

// A service needs those that it depends on; one that was never deployed comes along.
function withNewDependencies(services: readonly DescribedService[], only: ReadonlySet<string>, kept: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  const wanted = new Set(only)
  for (const id of wanted) {
    const needs = services.find(({serviceId}) => serviceId === id)?.definition.dependsOn ?? []
    for (const {service} of needs) {
      const other = services.find(({definition}) => definition.name === service)
      if (other !== undefined && !kept.has(other.serviceId)) wanted.add(other.serviceId)
    }
  }
  return wanted
}

async function locateFiles({facts, project, active, signal}: DeploymentContext, planned: readonly PlannedService[], tree: SourceTree | null): Promise<{services: PlannedService[]; files: ReleaseFiles}> {
  const files: Record<string, ReleaseFiles[string]> = {}
  const services: PlannedService[] = []
  for (const service of planned) {
    if (service.definition === null) {
      services.push(service)
      continue
    }
    const resolved = await resolveMounts(service.definition, {folder: projectFolder(facts, project), tree, signal})
    Object.assign(files, resolved.files)
    services.push({...service, hostPaths: resolved.hostPaths})
  }
  // Those of services that are carried forward go on with them.
  const isPartial = planned.some(({definition}) => definition === null)
  return {services, files: isPartial ? {...active?.files, ...files} : files}
}
