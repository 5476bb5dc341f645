import {boolean, string} from '@oclif/core/flags'
import type {Client} from '../client/client.js'
import {Fault} from '../contract/faults.js'
import type {Project} from '../contract/project.js'
import {getProject} from './find-by-name.js'
import {parsePairs} from './pairs.js'

const several = {multiple: true, multipleNonGreedy: true} as const

/** What a service is made of. */
export const serviceFlags = {
  image: string({description: 'image to run', helpValue: 'IMAGE'}),
  build: string({description: 'folder of the source to build the image from', helpValue: 'PATH'}),
  dockerfile: string({description: 'Dockerfile within that folder', helpValue: 'PATH'}),
  port: string({description: 'port to publish, as Compose has it: 8080:80', helpValue: '[HOST:]PORT', ...several}),
  volume: string({description: 'volume or path to mount, as Compose has it: data:/var/lib/x', helpValue: 'SOURCE:TARGET', ...several}),
  'depends-on': string({description: 'service that is started before', helpValue: 'SERVICE', ...several}),
  env: string({description: 'variable of its own; for secrets use: env set', helpValue: 'KEY=VALUE', ...several}),
  command: string({description: 'command in the place of that of the image, words as a shell has them', helpValue: 'COMMAND'}),
  restart: string({description: 'no, always, unless-stopped or on-failure', helpValue: 'RULE'}),
  expose: boolean({description: 'reached from outside, as soon as the project has a domain', allowNo: true}),
  'exposed-port': string({description: 'container port that is reached', helpValue: 'PORT'}),
}

export const serviceFieldFlags = {
  image: '--image', build: '--build', dockerfile: '--dockerfile', ports: '--port', volumes: '--volume', dependsOn: '--depends-on', environment: '--env', command: '--command', restart: '--restart',
  exposed: '--expose', exposedPort: '--exposed-port',
}

interface Given {
  readonly image?: string | undefined
  readonly build?: string | undefined
  readonly dockerfile?: string | undefined
  readonly port?: string[] | undefined
  readonly volume?: string[] | undefined
  readonly 'depends-on'?: string[] | undefined
  readonly env?: string[] | undefined
  readonly command?: string | undefined
  readonly restart?: string | undefined
  readonly expose?: boolean | undefined
  readonly 'exposed-port'?: string | undefined
}

/** The fields of what was given, and no others. An empty text takes a field away. */
export function readServiceFields(flags: Given) {
  const {image, build, dockerfile, port, volume, env, command, restart, expose, 'depends-on': dependsOn, 'exposed-port': exposedPort} = flags
  const orNull = (text: string) => (text === '' ? null : text)
  return {
    ...(image !== undefined && {image: orNull(image)}),
    ...(build !== undefined && {build: orNull(build)}),
    ...(dockerfile !== undefined && {dockerfile: orNull(dockerfile)}),
    ...(port !== undefined && {ports: given(port)}),
    ...(volume !== undefined && {volumes: given(volume)}),
    ...(dependsOn !== undefined && {dependsOn: given(dependsOn)}),
    ...(env !== undefined && {environment: parsePairs(env, '--env')}),
    // Exact words that came from a Compose file would win over it.
    ...(command !== undefined && {command: orNull(command), commandArgv: null}),
    ...(restart !== undefined && {restart}),
    ...(expose !== undefined && {exposed: expose}),
    ...(exposedPort !== undefined && {exposedPort: orNull(exposedPort)}),
  }
}

function given(texts: readonly string[]): string[] {
  return texts.filter((text) => text !== '')
}

/** The project and the name of a service that is not there yet, from PROJECT/SERVICE. */
export async function getNewService(api: Client, text: string, signal: AbortSignal): Promise<{readonly project: Project; readonly name: string}> {
  const at = text.lastIndexOf('/')
  if (at < 1 || at === text.length - 1) throw new Fault('USAGE', `${JSON.stringify(text)} is not PROJECT/SERVICE`, {suggestions: ['projects list']})
  return {project: await getProject(api, text.slice(0, at), signal), name: text.slice(at + 1)}
}
