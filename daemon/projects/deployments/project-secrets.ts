import type {Sealer} from '../../store/secrets.js'
import type {StoreReader} from '../../store/store.js'
import {EnvVars, Services, type ProjectRecord} from '../records.js'
import {deployKeyContext, envContext, gitPasswordContext} from '../sealed-fields.js'
import {openInline} from '../service-view.js'

const tellsOfSecret = /pass|secret|token|key|credential|private|salt|auth/i
const shortest = 6

/** What of a project must not be seen in a log: its secret variables, how it gets at its repository, and values whose names say what they are. */
export async function projectSecrets(reader: StoreReader, sealer: Sealer, project: ProjectRecord): Promise<string[]> {
  const variables = await reader.find(EnvVars, 'project', [project.id])
  const services = await reader.find(Services, 'project', [project.id])
  const marked = variables.filter(({isSecret}) => isSecret).map((row) => sealer.open(row.value, envContext(row.id)))
  const named = variables.filter(({isSecret, key}) => !isSecret && tellsOfSecret.test(key)).map((row) => sealer.open(row.value, envContext(row.id)))
  const inline = services.flatMap((service) => Object.entries(openInline(sealer, service)).filter(([key]) => tellsOfSecret.test(key)).map(([, value]) => value))
  const access = [
    ...(project.gitPassword === null ? [] : [sealer.open(project.gitPassword, gitPasswordContext(project.id))]),
    ...(project.deployKey === null ? [] : [sealer.open(project.deployKey, deployKeyContext(project.id))]),
  ]
  return [...marked, ...access, ...[...named, ...inline].filter(({length}) => length >= shortest)]
}
