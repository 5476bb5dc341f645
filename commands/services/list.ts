import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'

export default class ServicesList extends BaseCommand<typeof ServicesList> {
  static override summary = 'list the services of a project with their containers'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override examples = [{description: 'list services', command: '<%= config.bin %> <%= command.id %> shop'}]

  async run(): Promise<object> {
    const {id} = await getProject(this.api, this.args.project, this.signal)
    const input = {params: {id}}
    const [{services}, {containers}] = await Promise.all([this.api.services.list(input, {signal: this.signal}), this.api.services.containers(input, {signal: this.signal})])
    const items = containers.map((container) => ({...container, image: services.find((service) => service.id === container.serviceId)?.image ?? container.imageRef}))
    for (const {serviceName, duplicates} of items) if (duplicates.length > 0) this.out.warn(`${serviceName} has ${duplicates.length} more containers: ${duplicates.map((other) => other.slice(0, 12)).join(', ')}`)
    for (const {serviceName, unhealthyReason} of items) if (unhealthyReason !== null) this.out.warn(`${serviceName} is unhealthy: ${unhealthyReason}`)
    this.out.table(
      [
        {heading: 'SERVICE', value: (item) => item.serviceName, whole: true},
        {heading: 'STATUS', value: (item) => item.status, kind: 'status'},
        {heading: 'HEALTH', value: (item) => (item.unhealthyReason === null ? item.health : 'unhealthy')},
        {heading: 'IMAGE', value: (item) => item.image},
        {heading: 'PORT', value: (item) => item.hostPort},
        {heading: 'CONTAINER', value: (item) => item.containerId?.slice(0, 12) ?? null},
        {heading: 'STARTED', value: (item) => item.startedAt, kind: 'time'},
      ],
      items,
      'no services',
    )
    return {items}
  }
}
