import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {changeEnv, envFlags, getEnvPlace} from '../../src/cli/env-flags.js'
import {Fault} from '../../src/contract/faults.js'

export default class EnvUnset extends BaseCommand<typeof EnvUnset> {
  static override summary = 'take environment variables away; it is applied with the next deployment'
  static override strict = false
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = envFlags
  static override examples = [{description: 'one of a service', command: '<%= config.bin %> <%= command.id %> shop LOG_LEVEL --service web'}]

  async run(): Promise<object> {
    const {service, environment} = this.flags
    const deletes = this.words.slice(1)
    if (deletes.length === 0) throw new Fault('USAGE', 'the names of the variables are missing')
    const place = await getEnvPlace(this.api, this.args.project, {service, signal: this.signal})
    await changeEnv(this.api, place, {environment, upserts: [], deletes, signal: this.signal})
    this.log(`${deletes.join(', ')} of ${place.name} ${deletes.length === 1 ? 'is' : 'are'} gone`)
    return {project: place.projectId, service: place.serviceId, environment, unset: deletes}
  }
}
