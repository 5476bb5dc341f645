import type {CatalogEntry, HostFit} from '../contract/apps.js'
import type {Column} from './table.js'

export const appColumns: readonly Column<CatalogEntry>[] = [
  {heading: 'ID', value: ({id}) => id, whole: true},
  {heading: 'NAME', value: ({name}) => name},
  {heading: 'CATEGORY', value: ({category}) => category},
  {heading: 'STATE', value: appState, kind: 'status'},
  {heading: 'BY', value: ({custom, verified}) => (custom ? 'custom' : verified ? 'verified' : null)},
  {heading: 'DESCRIPTION', value: ({description}) => description},
]

/** Whether an app can be installed, in a word or two. */
export function appState({requiresUpdate, comingSoon, updateAvailable}: Pick<CatalogEntry, 'requiresUpdate' | 'comingSoon' | 'updateAvailable'>): string {
  if (requiresUpdate !== undefined) return requiresUpdate.minVersion === undefined ? 'needs a newer release' : `needs ${requiresUpdate.minVersion}`
  if (comingSoon) return 'coming soon'
  return updateAvailable === true ? 'ready, newer one needs an update' : 'ready'
}

type Amounts = HostFit['fit']['memory']

/** `4 GB of RAM and 2 vCPU`; what is zero or not there is left out. */
export function sizeText({memoryMb = 0, cpuCores = 0}: {readonly memoryMb?: number | undefined; readonly cpuCores?: number | undefined}): string | null {
  const parts = [...(memoryMb > 0 ? [`${memoryText(memoryMb)} of RAM`] : []), ...(cpuCores > 0 ? [cpuText(cpuCores)] : [])]
  return parts.length === 0 ? null : parts.join(' and ')
}

/** What a host is short of: `4 GB of RAM (it has 1.9 GB) and 4 vCPU (it has 2 vCPU)`. */
export function shortText({memory, cpu}: {readonly memory?: Amounts; readonly cpu?: Amounts}): string {
  return [
    ...(memory === undefined ? [] : [`${memoryText(memory.needed)} of RAM (it has ${memoryText(memory.available)})`]),
    ...(cpu === undefined ? [] : [`${cpuText(cpu.needed)} (it has ${cpuText(cpu.available)})`]),
  ].join(' and ')
}

function memoryText(megabytes: number): string {
  return megabytes >= 1024 ? `${tenth(megabytes / 1024)} GB` : `${tenth(megabytes)} MB`
}

function cpuText(cores: number): string {
  return `${tenth(cores)} vCPU`
}

function tenth(amount: number): string {
  return String(Math.round(amount * 10) / 10)
}
