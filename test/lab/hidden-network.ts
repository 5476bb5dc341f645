import {runCommand} from './lab-processes.js'

export interface HiddenNetwork {
  readonly jumpNamespace: string
  readonly targetNamespace: string
  readonly jumpAddress: string
  readonly targetAddress: string
  readonly filteredPort: number
}

/** This machine ↔ jump namespace ↔ target namespace; no route leads past the jump host. */
export async function addHiddenNetwork(cleanups: (() => Promise<unknown>)[]): Promise<HiddenNetwork> {
  const id = `${(process.pid % 46_656).toString(36)}${Math.floor(Math.random() * 1296).toString(36)}`
  const [a, b] = [`mlj${id}`, `mlt${id}`]
  const [third, fourth] = [Math.floor(Math.random() * 250), Math.floor(Math.random() * 62) * 4]
  const address = (second: number, last: number) => `10.${second}.${third}.${fourth + last}`
  const ip = (...words: string[]) => runCommand('ip', words)
  for (const namespace of [a, b]) {
    await ip('netns', 'add', namespace)
    cleanups.push(async () => void (await ip('netns', 'del', namespace)))
    await ip('-n', namespace, 'link', 'set', 'lo', 'up')
  }
  await ip('link', 'add', `${a}h`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', a)
  await ip('addr', 'add', `${address(212, 1)}/30`, 'dev', `${a}h`)
  await ip('link', 'set', `${a}h`, 'up')
  await ip('-n', a, 'addr', 'add', `${address(212, 2)}/30`, 'dev', 'eth0')
  await ip('-n', a, 'link', 'set', 'eth0', 'up')
  await ip('-n', a, 'link', 'add', 'eth1', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', b)
  await ip('-n', a, 'addr', 'add', `${address(213, 1)}/30`, 'dev', 'eth1')
  await ip('-n', a, 'link', 'set', 'eth1', 'up')
  await ip('-n', b, 'addr', 'add', `${address(213, 2)}/30`, 'dev', 'eth0')
  await ip('-n', b, 'link', 'set', 'eth0', 'up')
  const filteredPort = 2299
  const nft = (...words: string[]) => ip('netns', 'exec', a, 'nft', ...words)
  await nft('add', 'table', 'inet', 'lab')
  await nft('add', 'chain', 'inet', 'lab', 'input', '{ type filter hook input priority 0; }')
  await nft('add', 'rule', 'inet', 'lab', 'input', 'tcp', 'dport', String(filteredPort), 'drop')
  return {jumpNamespace: a, targetNamespace: b, jumpAddress: address(212, 2), targetAddress: address(213, 2), filteredPort}
}
