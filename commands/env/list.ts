import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {envFlags, getEnvPlace, readEnv} from '../../src/cli/env-flags.js'

export default class EnvList extends BaseCommand<typeof EnvList> {
  static override summary = 'list environment variables; secrets are masked'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = envFlags
  static override examples = [{description: 'of one service', command: '<%= config.bin %> <%= command.id %> shop --service web'}]

  async run(): Promise<object> {
    const {service, environment} = this.flags
    const place = await getEnvPlace(this.api, this.args.project, {service, signal: this.signal})
    const items = await readEnv(this.api, place, {environment, signal: this.signal})
    this.out.table(
      [
        {heading: 'KEY', value: (item) => item.key, whole: true},
        {heading: 'VALUE', value: (item) => item.value},
        {heading: 'SECRET', value: (item) => (item.isSecret ? 'yes' : 'no')},
        {heading: 'CHANGED', value: (item) => item.updatedAt, kind: 'time'},
      ],
      items,
      'no variables',
    )
    return {items}
  }
}
