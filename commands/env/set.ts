import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {changeEnv, envFlags, getEnvPlace} from '../../src/cli/env-flags.js'
import {parsePairs, secretFromFile} from '../../src/cli/pairs.js'
import {Fault} from '../../src/contract/faults.js'

export default class EnvSet extends BaseCommand<typeof EnvSet> {
  static override summary = 'set environment variables; they are applied with the next deployment'
  static override description = 'A secret comes from stdin or a file, so that it is in no list of processes and no history of a shell.'
  static override strict = false
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = {
    ...envFlags,
    secret: boolean({description: 'mask the values from now on'}),
    'from-file': string({description: 'take the value of a key from a file', helpValue: 'KEY=PATH', multiple: true, multipleNonGreedy: true}),
    'value-stdin': string({description: 'take the value of this key from stdin', helpValue: 'KEY'}),
  }
  static override examples = [
    {description: 'two variables', command: '<%= config.bin %> <%= command.id %> shop LOG_LEVEL=info REGION=eu'},
    {description: 'a secret', command: 'cat password | <%= config.bin %> <%= command.id %> shop --service db --secret --value-stdin POSTGRES_PASSWORD'},
  ]

  async run(): Promise<object> {
    const {service, environment, secret} = this.flags
    const values = await this.#values()
    const upserts = Object.entries(values).map(([key, value]) => ({key, value, ...(secret && {isSecret: true})}))
    if (upserts.length === 0) throw new Fault('USAGE', 'nothing to set was given: KEY=VALUE, --from-file or --value-stdin')
    const place = await getEnvPlace(this.api, this.args.project, {service, signal: this.signal})
    await changeEnv(this.api, place, {environment, upserts, deletes: [], signal: this.signal})
    this.log(`${upserts.map(({key}) => key).join(', ')} of ${place.name} ${upserts.length === 1 ? 'is' : 'are'} set`)
    return {project: place.projectId, service: place.serviceId, environment, set: upserts.map(({key}) => key)}
  }

  async #values(): Promise<Record<string, string>> {
    const values = parsePairs(this.words.slice(1), 'KEY=VALUE')
    const add = (key: string, value: string) => {
      if (Object.hasOwn(values, key)) throw new Fault('USAGE', `${key} is given twice`)
      values[key] = value
    }
    for (const [key, file] of Object.entries(parsePairs(this.flags['from-file'] ?? [], '--from-file'))) add(key, await secretFromFile(file, `--from-file ${key}`))
    const key = this.flags['value-stdin']
    if (key !== undefined) add(key, await this.prompts.readInput(`the value of ${key}`, '--value-stdin'))
    return values
  }
}
