import type {deploymentRoutes} from '../contract/deployments.js'
import type {RouteOutput} from '../contract/route.js'
import type {Column} from './table.js'
import {formatBytes} from './time-text.js'

type ServiceUsage = RouteOutput<typeof deploymentRoutes.usage>['data']['services'][number]

const mebibyte = 1024 * 1024
/** What each service uses of its server. */
export const usageColumns: readonly Column<ServiceUsage>[] = [
  {heading: 'SERVICE', value: (row) => row.serviceName, whole: true},
  {heading: 'CPU %', value: (row) => row.cpuPercent, kind: 'number'},
  {heading: 'MEMORY', value: (row) => formatBytes(row.memoryMb * mebibyte)},
  {heading: 'LIMIT', value: (row) => (row.memoryLimitMb === null ? 'none' : formatBytes(row.memoryLimitMb * mebibyte))},
  {heading: 'WRITTEN', value: (row) => formatBytes(row.diskMb * mebibyte)},
  {heading: 'RECEIVED', value: (row) => formatBytes(row.networkRxBytes)},
  {heading: 'SENT', value: (row) => formatBytes(row.networkTxBytes)},
]
