import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getNewService, readServiceFields, serviceFieldFlags, serviceFlags} from '../../src/cli/service-input.js'

export default class ServicesCreate extends BaseCommand<typeof ServicesCreate> {
  static override summary = 'add a service to a project; it runs with the next deployment'
  static override args = {service: Args.string({description: 'PROJECT/SERVICE; the service is a host name on the network of the project', required: true})}
  static override flags = serviceFlags
  static override examples = [
    {description: 'of an image', command: '<%= config.bin %> <%= command.id %> shop/cache --image redis:8 --volume cache-data:/data'},
    {description: 'published, after another one', command: '<%= config.bin %> <%= command.id %> shop/web --image nginx:1.27 --port 8080:80 --depends-on cache --env LOG_LEVEL=info'},
  ]
  static override fieldFlags = {...serviceFieldFlags, name: 'SERVICE'}

  async run(): Promise<object> {
    const fields = readServiceFields(this.flags)
    const {project, name} = await getNewService(this.api, this.args.service, this.signal)
    const {service} = await this.api.services.create({params: {id: project.id}, body: {name, ...fields}}, {signal: this.signal})
    this.log(`${project.slug}/${service.name} is created: ${service.id}`)
    this.out.note(`run it with: ${this.config.bin} deploy ${project.slug}`)
    return service
  }
}
