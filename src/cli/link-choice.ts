import type {AppDefinition} from '../catalog/definition.js'
import type {Client} from '../client/client.js'
import {Fault} from '../contract/faults.js'
import type {Project} from '../contract/project.js'

/** A value of a project and the variable that it becomes. */
export interface LinkItem {
  readonly outputId: string
  readonly envKey: string
}

type Declared = Pick<AppDefinition, 'connection' | 'provides'>

/** What another project usually takes of a project: its first bundle, else what it recommends, else its first value. */
export async function usualLinks(api: Client, source: Project, signal: AbortSignal): Promise<LinkItem[]> {
  const declared = await findDeclared(api, source, signal)
  const outputs = declared?.connection?.outputs ?? (await api.appProjects.connection({params: {id: source.id}}, {signal})).data.outputs
  const bundle = declared?.provides?.[0]?.outputRefs
  const recommended = outputs.filter((output) => output.recommended === true)
  const chosen = bundle === undefined ? (recommended.length > 0 ? recommended : outputs.slice(0, 1)) : bundle.flatMap((ref) => outputs.filter(({id}) => id === ref))
  if (chosen.length === 0) throw new Fault('NOT_FOUND', `${source.name} has nothing that another project could use`, {suggestions: [`apps connection ${source.slug}`]})
  return chosen.map(({id, envKey}) => ({outputId: id, envKey: envKey ?? toEnvKey(id)}))
}

async function findDeclared(api: Client, {appTemplateId}: Project, signal: AbortSignal): Promise<Declared | undefined> {
  if (appTemplateId === null) return undefined
  try {
    return (await api.apps.show({params: {id: appTemplateId}}, {signal})).data
  } catch (error) {
    // It was taken out of the catalog; what it was installed with still stands.
    if (error instanceof Fault && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

function toEnvKey(id: string): string {
  const key = id.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '')
  return /^[A-Z]/.test(key) ? key : `_${key}`
}
