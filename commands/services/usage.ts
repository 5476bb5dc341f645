import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'
import type {Column} from '../../src/cli/table.js'
import {formatBytes} from '../../src/cli/time-text.js'
import type {deploymentRoutes} from '../../src/contract/deployments.js'
import {Fault} from '../../src/contract/faults.js'
import type {RouteOutput} from '../../src/contract/route.js'

type ServiceUsage = RouteOutput<typeof deploymentRoutes.usage>['data']['services'][number]

const mebibyte = 1024 * 1024
const columns: readonly Column<ServiceUsage>[] = [
  {heading: 'SERVICE', value: (row) => row.serviceName, whole: true},
  {heading: 'CPU %', value: (row) => row.cpuPercent, kind: 'number'},
  {heading: 'MEMORY', value: (row) => formatBytes(row.memoryMb * mebibyte)},
  {heading: 'LIMIT', value: (row) => (row.memoryLimitMb === null ? 'none' : formatBytes(row.memoryLimitMb * mebibyte))},
  {heading: 'WRITTEN', value: (row) => formatBytes(row.diskMb * mebibyte)},
  {heading: 'RECEIVED', value: (row) => formatBytes(row.networkRxBytes)},
  {heading: 'SENT', value: (row) => formatBytes(row.networkTxBytes)},
]

export default class ServicesUsage extends BaseCommand<typeof ServicesUsage> {
  static override summary = 'show what the services of a project use of their server now'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override examples = [{description: 'processor, memory and network of each service', command: '<%= config.bin %> <%= command.id %> shop'}]

  async run(): Promise<object> {
    const {name, slug, activeDeploymentId} = await getProject(this.api, this.args.project, this.signal)
    if (activeDeploymentId === null) throw new Fault('NOTHING_DEPLOYED', `nothing of ${name} is deployed`, {suggestions: [`deploy ${slug}`]})
    const {data} = await this.api.deployments.usage({params: {id: activeDeploymentId}}, {signal: this.signal})
    this.out.table(columns, data.services, `no service of ${name} runs`)
    return data
  }
}
