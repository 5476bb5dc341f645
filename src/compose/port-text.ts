import type {ComposePort} from './compose-model.js'

const shortForm = /^(?:(?:\[(?<v6>[0-9a-fA-F:.%]+)\]|(?<v4>\d+(?:\.\d+){3})|(?<bare6>[0-9a-fA-F]*:[0-9a-fA-F:]*:[0-9a-fA-F.]*)):)?(?:(?<host>\d+)?(?:-(?<hostEnd>\d+))?:)?(?<container>\d+)(?:-(?<containerEnd>\d+))?(?:\/(?<protocol>[A-Za-z]+))?$/

const longestRange = 1000

/** The ports of a text such as `127.0.0.1:8000-8002:80-82/udp`, or what is wrong with it. */
export function parsePorts(text: string): readonly ComposePort[] | string {
  const {v6, v4, bare6, host, hostEnd, container = '', containerEnd, protocol = 'tcp'} = shortForm.exec(text.trim())?.groups ?? {}
  if (container === '') return `${JSON.stringify(text)} is no port; write HOST:CONTAINER, such as "8080:80"`
  return expandPorts({address: v6 ?? v4 ?? bare6 ?? null, host: rangeOf(host, hostEnd), container: {from: Number(container), to: Number(containerEnd ?? container)}, protocol})
}

interface Range {
  readonly from: number
  readonly to: number
}

export interface PortRange {
  readonly address: string | null
  readonly host: Range | null
  readonly container: Range
  readonly protocol: string
}

export function rangeOf(from: string | undefined, to: string | undefined): Range | null {
  return from === undefined || from === '' ? null : {from: Number(from), to: Number(to ?? from)}
}

export function expandPorts({address, host, container, protocol}: PortRange): readonly ComposePort[] | string {
  const kind = protocol.toLowerCase()
  if (kind !== 'tcp' && kind !== 'udp') return `the protocol ${protocol} can not be published here; only tcp and udp can`
  const count = container.to - container.from + 1
  if (!isRange(container) || (host !== null && !isRange(host))) return 'ports lie between 1 and 65535, and a range goes up'
  if (count > longestRange) return `a range has at most ${longestRange} ports`
  if (host !== null && host.to - host.from + 1 !== count) {
    return count === 1 ? `one port of the container can not have the choice of ${host.from}-${host.to} on the host; name one of them` : 'both ranges need the same number of ports'
  }
  return Array.from({length: count}, (_, index) => ({hostAddress: address, hostPort: host === null ? null : host.from + index, containerPort: container.from + index, protocol: kind}))
}

function isRange({from, to}: Range): boolean {
  return from >= 1 && to <= 65_535 && from <= to
}

/** A port in short form, as rows and written files have it. */
export function formatPort({hostAddress, hostPort, containerPort, protocol}: ComposePort): string {
  const address = hostAddress === null ? '' : `${hostAddress.includes(':') ? `[${hostAddress}]` : hostAddress}:`
  const host = hostPort === null ? (hostAddress === null ? '' : ':') : `${hostPort}:`
  return `${address}${host}${containerPort}${protocol === 'tcp' ? '' : `/${protocol}`}`
}
