import type {MinResources} from '../../src/catalog/definition.js'
import type {HostFit} from '../../src/contract/apps.js'

export type Capacity = HostFit['capacity']

export const unknownCapacity: Capacity = {cpuCores: 0, memoryMb: 0, source: 'unknown'}

/** Holds what an app recommends, and the limits of an install, against what a host has. Only what was measured can be short. */
export function compareCapacity(minResources: MinResources | undefined, capacity: Capacity, draft?: HostFit['draft']): HostFit {
  const memory = shortfall(minResources?.memoryMb, capacity.memoryMb)
  const cpu = shortfall(minResources?.cpuCores, capacity.cpuCores)
  const draftMemory = excess(draft?.memoryMb, capacity.memoryMb)
  const draftCpu = excess(draft?.cpuCores, capacity.cpuCores)
  return {
    minResources: minResources ?? null,
    capacity,
    fit: {
      ok: memory === undefined && cpu === undefined,
      ...(memory !== undefined && {memory}), ...(cpu !== undefined && {cpu}), ...(draftMemory !== undefined && {draftMemory}), ...(draftCpu !== undefined && {draftCpu}),
    },
    ...(draft !== undefined && {draft}),
  }
}

// Limits that somebody set can be met to the last byte.
function excess(needed = 0, available: number): {needed: number; available: number} | undefined {
  return available > 0 && needed > available ? {needed, available} : undefined
}

function shortfall(needed: number | undefined, available: number): {needed: number; available: number} | undefined {
  // A tenth less is enough: kernels and hypervisors keep some of what a machine is sold with.
  if (needed === undefined || available <= 0 || available * 10 >= needed * 9) return undefined
  return {needed, available}
}

/** Whether there is anything to compare; where there is not, no host is asked. */
export function declaresMinimum(minResources: MinResources | undefined): minResources is MinResources {
  return minResources?.memoryMb !== undefined || minResources?.cpuCores !== undefined
}
