import path from 'node:path'
import type {ComposeNetwork, ComposeProblem, ComposeProject, ComposeVolume} from '../compose/compose-model.js'
import {readCompose} from '../compose/read-compose.js'
import {toServiceFields, type ServiceFields} from '../compose/to-service-fields.js'
import {Fault} from '../contract/faults.js'
import type {ComposeSource} from './compose-source.js'

export interface ComposeWish {
  readonly profiles: readonly string[]
  /** Whether the project has files of its own that images are built from. */
  readonly hasFiles: boolean
}

export interface ComposeServices {
  readonly services: readonly ServiceFields[]
  readonly warnings: readonly string[]
}

/** The services of a Compose file of this machine. What of it services alone can not keep is refused, and not left out. */
export async function readComposeServices({text, file, folder, variables}: ComposeSource, {profiles, hasFiles}: ComposeWish): Promise<ComposeServices> {
  const readText = (inside: string) => {
    const entry = folder.read(inside)
    return Promise.resolve(entry.kind === 'text' ? entry.text : undefined)
  }
  const {project, problems} = await readCompose({path: path.basename(file), text, variables: Object.fromEntries(variables), profiles, readText})
  const errors = problems.filter(({severity}) => severity === 'error').map(describe)
  if (project === null) throw refused(file, errors)
  const lost = [...lostResources(project), ...(hasFiles ? [] : lostFiles(project))]
  if (lost.length > 0) throw refused(file, lost)
  return {services: project.services.map((service) => toServiceFields(service, {folder: '.'})), warnings: problems.map(describe)}
}

function describe({file, line, column, message}: ComposeProblem): string {
  return `${file}:${line}:${column}: ${message}`
}

function refused(file: string, problems: readonly string[]): Fault {
  return new Fault('COMPOSE_INVALID', problems.join('; ') || `${file} can not be used`, {details: {problems}})
}

// They are no part of any service; without them another volume or network would be made.
function lostResources({volumes, networks}: ComposeProject): string[] {
  const isPlain = ({name, external, others}: ComposeVolume | ComposeNetwork) => name === null && !external && Object.keys(others).length === 0
  const told = (kind: string) => ({key}: ComposeVolume | ComposeNetwork) => `${kind} ${key} has settings of its own, which services alone do not keep; deploy the folder of the file instead`
  return [...volumes.filter((volume) => !isPlain(volume)).map(told('volume')), ...networks.filter((network) => !isPlain(network)).map(told('network'))]
}

function lostFiles({services}: ComposeProject): string[] {
  return services.flatMap(({name, build, mounts}) => {
    const files = [...(build === null ? [] : [`builds ${build.context}`]), ...mounts.flatMap(({type, source}) => (type === 'bind' && source?.startsWith('./') === true ? [`mounts ${source}`] : []))]
    return files.map((what) => `${name} ${what}, and the project has no files; deploy the folder of the file instead`)
  })
}
