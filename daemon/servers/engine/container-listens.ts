import type {Runner} from '../runner.js'
import type {ContainerFacts} from './engine.js'
import {parseListeningSockets, socketsScript} from './listening-sockets.js'

// An engine in a virtual machine counts processes on its own: the number is then that of somebody else here.
const script = `grep -q -- "$2" "/proc/$1/cgroup" 2>/dev/null || exit 0
${socketsScript}`

const mostBytes = 1024 * 1024

/** The TCP ports on which something in a network that is the container's own listens for others; null where that can not be told. */
export async function listeningPorts(runner: Runner, {id, pid, addresses}: Pick<ContainerFacts, 'id' | 'pid' | 'addresses'>, signal: AbortSignal): Promise<readonly number[] | null> {
  if (pid === null || Object.keys(addresses).length === 0) return null
  const {stdout} = await runner.exec(['/bin/sh', '-c', script, 'sh', String(pid), id], {signal, maxOutputBytes: mostBytes})
  if (stdout === '') return null
  // The engine itself answers names there, on a loopback address.
  const reachable = parseListeningSockets(stdout).filter(({protocol, hostAddress}) => protocol === 'tcp' && !hostAddress.startsWith('127.') && hostAddress !== '::1')
  return [...new Set(reachable.map(({port}) => port))]
}
