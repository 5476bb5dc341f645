import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {envFlags, getEnvPlace} from '../../src/cli/env-flags.js'
import {toDotenvLine} from '../../src/cli/dotenv.js'
import {Fault} from '../../src/contract/faults.js'

export default class EnvReveal extends BaseCommand<typeof EnvReveal> {
  static override summary = 'show named environment variables in plain text; it is audited'
  static override strict = false
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = envFlags
  static override examples = [{description: 'one secret', command: '<%= config.bin %> <%= command.id %> shop POSTGRES_PASSWORD --service db'}]

  async run(): Promise<object> {
    const {service, environment} = this.flags
    const keys = this.words.slice(1)
    if (keys.length === 0) throw new Fault('USAGE', 'the names of the variables are missing')
    const {projectId, serviceId, name} = await getEnvPlace(this.api, this.args.project, {service, signal: this.signal})
    const body = {environment, keys}
    const values = serviceId === null
      ? (await this.api.projects.revealEnv({params: {id: projectId}, body}, {signal: this.signal})).data.environment
      : (await this.api.services.revealEnv({params: {id: projectId, serviceId}, body}, {signal: this.signal})).environment
    const missing = keys.filter((key) => !Object.hasOwn(values, key))
    if (missing.length > 0) throw new Fault('NOT_FOUND', `${name} has no variable ${missing.join(', ')}`, {details: {keys: missing}})
    for (const [key, value] of Object.entries(values)) this.log(toDotenvLine(key, value) ?? `${key}=${JSON.stringify(value)}`)
    return {environment: values}
  }
}
