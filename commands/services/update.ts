import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {readServiceFields, serviceFieldFlags, serviceFlags} from '../../src/cli/service-input.js'
import {getServiceOf} from '../../src/cli/service-ref.js'
import {Fault} from '../../src/contract/faults.js'

export default class ServicesUpdate extends BaseCommand<typeof ServicesUpdate> {
  static override summary = 'change a service; it is applied with the next deployment'
  static override description = 'What is not given stays; an empty value takes a field away. Ports, volumes and what it depends on are replaced as a whole, variables one by one.'
  static override args = {service: Args.string({description: 'PROJECT/SERVICE; the project alone where it has one service', required: true})}
  static override flags = {
    ...serviceFlags,
    name: string({description: 'new name, and host name', helpValue: 'NAME'}),
    'unset-env': string({description: 'variable of its own to take away', helpValue: 'KEY', multiple: true, multipleNonGreedy: true}),
    enabled: boolean({description: 'part of deployments', allowNo: true}),
  }
  static override examples = [
    {description: 'another image', command: '<%= config.bin %> <%= command.id %> shop/cache --image redis:8.2'},
    {description: 'leave it out of the next deployments', command: '<%= config.bin %> <%= command.id %> shop/cache --no-enabled'},
  ]
  static override fieldFlags = {...serviceFieldFlags, name: '--name', enabled: '--enabled'}

  async run(): Promise<object> {
    const {name, enabled, 'unset-env': unset = []} = this.flags
    const {environment, ...fields} = readServiceFields(this.flags)
    const variables = {...environment, ...Object.fromEntries(unset.map((key) => [key, null]))}
    const body = {...fields, ...(name !== undefined && {name}), ...(enabled !== undefined && {enabled}), ...(Object.keys(variables).length > 0 && {environment: variables})}
    if (Object.keys(body).length === 0) throw new Fault('USAGE', 'nothing to change was given', {suggestions: ['services update --help']})
    const {project, params} = await getServiceOf(this.api, this.args.service, this.signal)
    const {service} = await this.api.services.update({params, body}, {signal: this.signal})
    this.log(`${project.slug}/${service.name} is changed`)
    this.out.note(`apply it with: ${this.config.bin} deploy ${project.slug}`)
    return service
  }
}
