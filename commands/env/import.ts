import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {changeEnv, envFlags, getEnvPlace} from '../../src/cli/env-flags.js'
import {secretFromFile} from '../../src/cli/pairs.js'
import {parseEnvFile} from '../../src/compose/dotenv.js'
import {Fault} from '../../src/contract/faults.js'

export default class EnvImport extends BaseCommand<typeof EnvImport> {
  static override summary = 'set the environment variables of a .env file, read as Compose does; others stay'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = {
    ...envFlags,
    file: string({description: 'the file, or - for stdin', default: '.env', helpValue: 'FILE'}),
    secret: boolean({description: 'mask the values from now on'}),
  }
  static override examples = [{description: 'from a file', command: '<%= config.bin %> <%= command.id %> shop --file .env.production --secret'}]

  async run(): Promise<object> {
    const {service, environment, secret, file} = this.flags
    const text = file === '-' ? await this.prompts.readInput('the variables', '--file -') : await secretFromFile(file, '--file')
    const {values, faults} = parseEnvFile(text)
    const [fault] = faults
    if (fault !== undefined) throw new Fault('USAGE', `${file}, line ${fault.line}: ${fault.message}`, {details: {file, problems: faults}})
    const upserts = [...values].map(([key, value]) => ({key, value, ...(secret && {isSecret: true})}))
    if (upserts.length === 0) throw new Fault('USAGE', `${file} holds no variables`)
    const place = await getEnvPlace(this.api, this.args.project, {service, signal: this.signal})
    await changeEnv(this.api, place, {environment, upserts, deletes: [], signal: this.signal})
    this.log(`${upserts.length} variables of ${place.name} are set`)
    return {project: place.projectId, service: place.serviceId, environment, set: upserts.map(({key}) => key)}
  }
}
