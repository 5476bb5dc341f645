import {startDockerHosts} from '../docker-hosts.js'

/** Starts a lab, tells about it in one line, and waits to be killed. */
export async function main(): Promise<void> {
  const lab = await startDockerHosts(1)
  await lab.host(1).docker('run', '--detach', 'lab/web:1')
  process.stdout.write(`${JSON.stringify({folder: lab.folder, bridge: lab.bridge})}\n`)
  setInterval(() => undefined, 60_000)
}
