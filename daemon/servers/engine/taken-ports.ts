import type {Runner} from '../runner.js'
import type {ContainerFacts, Engine} from './engine.js'
import {parseListeningSockets, socketsScript} from './listening-sockets.js'

type TakenPort = Awaited<ReturnType<Engine['takenPorts']>>[number]

const mostBytes = 16 * 1024 * 1024

/** Ports that running containers publish, with their labels, and those that anything else on the host listens on. */
export async function findTakenPorts(runner: Runner, containers: () => Promise<readonly ContainerFacts[]>, signal: AbortSignal): Promise<readonly TakenPort[]> {
  const [all, {stdout}] = await Promise.all([containers(), runner.exec(['/bin/sh', '-c', socketsScript], {signal, maxOutputBytes: mostBytes})])
  const published = all.flatMap(publishedBy)
  // The engine listens for its containers: such a socket is theirs.
  const known = new Set(published.map(keyOf))
  const others = parseListeningSockets(stdout).filter((socket) => !known.has(keyOf(socket)))
  return [...published, ...others.map((socket) => ({...socket, by: null, labels: {}}))]
}

function publishedBy({state, name, labels, ports}: ContainerFacts): TakenPort[] {
  if (state !== 'running' && state !== 'paused' && state !== 'restarting') return []
  return ports.map(({hostAddress, hostPort, protocol}) => ({hostAddress, port: hostPort, protocol, by: name, labels}))
}

function keyOf({hostAddress, port, protocol}: Pick<TakenPort, 'hostAddress' | 'port' | 'protocol'>): string {
  return `${protocol} ${hostAddress} ${port}`
}
