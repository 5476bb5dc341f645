import type {LabMachine} from './lab-machine.js'
import {runCommand} from './lab-processes.js'

// A /24 of this machine's own, behind a bridge: machines of the lab reach each other and this machine, and there is no route to anywhere else.

export interface LabNetwork {
  readonly bridge: string
  /** This machine's address in the network. */
  readonly gateway: string
  /** The address of machine 1, 2, … */
  addressOf(number: number): string
  attach(machine: LabMachine, number: number): Promise<void>
  remove(): Promise<void>
}

const networks = 250

/** The owner is written on the bridge; whoever finds it gone may remove the bridge. */
export async function addNetwork(owner: string): Promise<LabNetwork> {
  const {bridge, third} = await takeBridge()
  const addressOf = (number: number) => `10.214.${third}.${10 + number}`
  const cables: string[] = []
  const network: LabNetwork = {
    bridge,
    gateway: `10.214.${third}.1`,
    addressOf,
    async attach(machine, number) {
      const cable = `${bridge}-${number}`
      // One of an earlier network of this name, which the kernel has not taken away yet.
      await ip('link', 'del', cable).catch(() => undefined)
      await ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(machine.pid))
      cables.push(cable)
      await ip('link', 'set', cable, 'master', bridge, 'up')
      const [program = '', ...words] = machine.inside
      await runCommand(program, [...words, 'sh', '-c', `ip addr add ${addressOf(number)}/24 dev eth0 && ip link set eth0 up`])
    },
    async remove() {
      // The kernel takes a cable away some time after the machine at its end; then there is none to delete.
      for (const cable of cables) await ip('link', 'del', cable).catch(() => undefined)
      await ip('link', 'del', bridge)
    },
  }
  try {
    await ip('link', 'set', bridge, 'alias', owner)
    await ip('addr', 'add', `${network.gateway}/24`, 'dev', bridge)
    await ip('link', 'set', bridge, 'up')
    return network
  } catch (error) {
    await network.remove()
    throw error
  }
}

/** Bridges whose owner is gone. */
export async function removeStaleNetworks(isStale: (owner: string) => boolean): Promise<void> {
  const links = JSON.parse(await ip('-json', 'link', 'show', 'type', 'bridge')) as {ifname?: string; ifalias?: string}[]
  for (const {ifname = '', ifalias = ''} of links) {
    // Another lab that starts may have been faster.
    if (isStale(ifalias)) await ip('link', 'del', ifname).catch(() => undefined)
  }
}

// Making a bridge fails where its name is taken, so its name keeps the network from every other lab.
async function takeBridge(): Promise<{bridge: string; third: number}> {
  const first = Math.floor(Math.random() * networks)
  for (let tried = 0; ; tried++) {
    const third = (first + tried) % networks
    const bridge = `mlab${third}`
    try {
      await ip('link', 'add', bridge, 'type', 'bridge')
      return {bridge, third}
    } catch (error) {
      if (tried === networks) throw error
    }
  }
}

function ip(...words: string[]): Promise<string> {
  return runCommand('ip', words)
}
