import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getServiceOf} from '../../src/cli/service-ref.js'

export default class ServicesShow extends BaseCommand<typeof ServicesShow> {
  static override summary = 'show a service'
  static override args = {service: Args.string({description: 'PROJECT/SERVICE; the project alone where it has one service', required: true})}
  static override examples = [{description: 'show a service', command: '<%= config.bin %> <%= command.id %> shop/web'}]

  async run(): Promise<object> {
    const {project, service} = await getServiceOf(this.api, this.args.service, this.signal)
    this.out.fields([
      ['id', service.id],
      ['name', service.name],
      ['project', project.name],
      ['image', service.image],
      ['build', service.build],
      ['command', service.commandArgv?.join(' ') ?? service.command],
      ['ports', service.ports.join(', ')],
      ['volumes', service.volumes.join(', ')],
      ['depends on', service.dependsOn.join(', ')],
      ['variables', Object.keys(service.environment).join(', ')],
      ['restart', service.restart],
      ['enabled', service.enabled ? 'yes' : 'no'],
      ['drift', service.drift === null ? null : Object.keys(service.drift.changes).join(', ')],
    ])
    if (service.drift !== null) this.out.note(`its source says otherwise: take that with services drift accept, or stay with services drift keep ${project.slug}/${service.name}`)
    return service
  }
}
