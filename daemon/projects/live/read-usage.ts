import {labelNames} from '../../../src/compose/release.js'
import type {deploymentRoutes} from '../../../src/contract/deployments.js'
import type {HandlerResult} from '../../../src/contract/route.js'
import type {Engine} from '../../servers/engine/engine.js'

type Usage = HandlerResult<typeof deploymentRoutes.usage>['data']

const mebibyte = 1024 * 1024

/** What the running containers of a project use now, each and in sum. */
export async function readUsage(engine: Engine, projectId: string, signal: AbortSignal): Promise<Usage> {
  const containers = await engine.containers({[labelNames.project]: projectId}, {signal})
  const running = containers.filter(({state}) => state === 'running')
  const services = await Promise.all(running.map(async ({id, name, labels}) => {
    const {cpuPercent, memoryBytes, memoryLimitBytes, writtenBytes, networkRxBytes, networkTxBytes} = await engine.usage(id, {signal})
    return {
      serviceName: labels['com.docker.compose.service'] ?? name, containerId: id, cpuPercent: round(cpuPercent), memoryMb: round(memoryBytes / mebibyte),
      memoryLimitMb: memoryLimitBytes === null ? null : round(memoryLimitBytes / mebibyte), diskMb: round(writtenBytes / mebibyte), networkRxBytes, networkTxBytes,
    }
  }))
  const sum = (pick: (service: (typeof services)[number]) => number) => round(services.reduce((total, service) => total + pick(service), 0))
  return {
    cpuPercent: sum((service) => service.cpuPercent), memoryMb: sum((service) => service.memoryMb), diskMb: sum((service) => service.diskMb),
    networkRxBytes: sum((service) => service.networkRxBytes), networkTxBytes: sum((service) => service.networkTxBytes), services,
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
