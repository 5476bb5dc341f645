import type {AppDefinition} from '../catalog/definition.js'
import {pickText} from '../catalog/pick-text.js'
import type {Client} from '../client/client.js'
import {Fault} from '../contract/faults.js'
import type {Project} from '../contract/project.js'
import {asker, type Asking} from './ask-again.js'
import {getProject, pickProject} from './find-by-name.js'
import {usualLinks} from './link-choice.js'
import {collectPages} from './list-pages.js'
import type {Output} from './output.js'
import {warnOfShadows} from './warn-of-shadows.js'

type Requirement = NonNullable<AppDefinition['requires']>[number]

/** What an app needs of another project, and of which one it gets it. */
export interface MetNeed {
  readonly need: Requirement
  readonly source: Project
}

interface NeedContext extends Asking {
  readonly api: Client
  readonly signal: AbortSignal
  /** From flags: id of the need to the project. */
  readonly given: Readonly<Record<string, string>>
}

/** Chooses the projects that an app gets its needs from: from flags, else asked for on a terminal. Elsewhere only what is optional may be left open. */
export async function chooseSources({id, requires = []}: Pick<AppDefinition, 'id' | 'requires'>, context: NeedContext): Promise<MetNeed[]> {
  const {api, signal, given, prompts} = context
  const unknown = Object.keys(given).find((name) => !requires.some((need) => need.id === name))
  if (unknown !== undefined) throw new Fault('USAGE', `${id} needs nothing that is called ${unknown}${requires.length === 0 ? '' : `; it has ${requires.map((need) => need.id).join(', ')}`}`, {details: {flag: '--connect'}})
  const missing = requires.filter((need) => need.optional !== true && given[need.id] === undefined)
  if (!prompts.canAsk && missing.length > 0) throw new Fault('USAGE', `nobody can be asked here: give ${missing.map((need) => `--connect ${need.id}=PROJECT`).join(' ')}`, {details: {flag: '--connect'}})
  const met: MetNeed[] = []
  for (const need of requires) {
    const name = given[need.id]
    const source = name !== undefined ? await getProject(api, name, signal) : prompts.canAsk ? await askSource(need, context) : undefined
    if (source !== undefined) met.push({need, source})
  }
  return met
}

async function askSource(need: Requirement, context: NeedContext): Promise<Project | undefined> {
  const {out} = context
  const projects = await candidates(need, context)
  const label = pickText(need.label, 'en')
  if (projects.length === 0) {
    if (need.optional === true) return undefined
    throw new Fault('NOT_FOUND', `${label} is needed, and there is no project that could give it`, {suggestions: ['apps list', 'projects list']})
  }
  for (const {slug, name} of projects) out.note(`  ${slug}  ${name}`)
  const isOptional = need.optional === true
  return asker(context)({
    text: `${label}: the project that it comes from${isOptional ? ', or nothing' : ''}`, flag: `--connect ${need.id}=PROJECT`, given: undefined,
    preset: isOptional ? '' : projects.length === 1 ? projects[0]?.slug : undefined,
    parse: (answer) => (answer === '' ? undefined : pickProject(projects, answer)),
  })
}

async function candidates({category}: Requirement, {api, signal}: NeedContext): Promise<Project[]> {
  const {items} = await collectPages({all: true}, (query) => api.projects.list({query}, {signal}))
  if (category === undefined) return items
  const {data} = await api.apps.catalog({}, {signal})
  const fitting = new Set<string>(data.filter((entry) => entry.category === category).map(({id}) => id))
  return items.filter(({appTemplateId}) => appTemplateId !== null && fitting.has(appTemplateId))
}

interface WireContext {
  readonly api: Client
  readonly out: Output
  readonly signal: AbortSignal
}

/** Connects a new project to what it needs. What an install that was begun has already stays; an optional need that can not be met is told. */
export async function connectNeeds(projectId: string, needs: readonly MetNeed[], {api, out, signal}: WireContext): Promise<void> {
  const there = needs.length === 0 ? [] : await api.appProjects.connections({params: {id: projectId}}, {signal})
  for (const {need, source} of needs) {
    if (there.some(({envKey}) => envKey === need.envKey)) continue
    try {
      const [item] = await usualLinks(api, source, signal)
      if (item === undefined) continue
      const body = {sourceProjectId: source.id, outputId: item.outputId, envKey: need.envKey, ...(need.mode !== undefined && {mode: need.mode})}
      const {data} = await api.appProjects.connect({params: {id: projectId}, body}, {signal})
      out.note(`${need.envKey} comes from ${source.name}, ${data.connection.mode}`)
      warnOfShadows(out, [data.connection])
    } catch (error) {
      if (need.optional !== true || !(error instanceof Fault)) throw error
      out.warn(`${need.envKey} is not connected: ${error.message}`)
    }
  }
}
