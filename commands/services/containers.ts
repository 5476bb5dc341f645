import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'

export default class ServicesContainers extends BaseCommand<typeof ServicesContainers> {
  static override summary = 'show the containers of a project as the engine of its server has them'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override examples = [{description: 'addresses and ports', command: '<%= config.bin %> <%= command.id %> shop'}]

  async run(): Promise<object> {
    const {id} = await getProject(this.api, this.args.project, this.signal)
    const {containers} = await this.api.services.containers({params: {id}}, {signal: this.signal})
    const items = containers.filter(({containerId}) => containerId !== null)
    this.out.table(
      [
        {heading: 'SERVICE', value: (item) => item.serviceName, whole: true},
        {heading: 'CONTAINER', value: (item) => item.containerId?.slice(0, 12) ?? null, whole: true},
        {heading: 'STATUS', value: (item) => item.status, kind: 'status'},
        {heading: 'ADDRESS', value: (item) => item.ip},
        {heading: 'PORT', value: (item) => item.hostPort},
        {heading: 'IMAGE', value: (item) => item.imageRef},
        {heading: 'EXIT', value: (item) => item.exitCode, kind: 'number'},
        {heading: 'FOUND BY', value: (item) => item.matchedBy},
      ],
      items,
      'no containers',
    )
    return {items}
  }
}
