import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {deployLab} from '../daemon/projects/deployments/deploy-lab.js'
import {dockerHostsMissing, startDockerHosts, type DockerHosts} from '../lab/docker-hosts.js'
import {runCommand} from './run-command.js'

const web = (version: string) => ({image: 'lab/web:1', environment: {VERSION: version}, ports: ['8150:80'], volumes: ['data:/data']})
const other = {image: 'lab/base:1', command: ['sleep', '1000'], stop_signal: 'SIGKILL'}

describe.skipIf(dockerHostsMissing() !== null)('what runs of a project on a Docker host', {timeout: 180_000}, () => {
  let hosts: DockerHosts
  beforeAll(async () => {
    hosts = await startDockerHosts(1)
  })
  afterAll(() => hosts?.stop())

  async function deployed() {
    const lab = await deployLab(hosts, hosts.host(1))
    const project = await lab.folder('Runs', {web: web('1'), other})
    const release = async (version: string) => {
      await project.write({web: web(version), other})
      const deployment = await lab.deploy(project.id)
      expect(deployment.status, await lab.log(deployment.id)).toBe('ready')
      return deployment.id
    }
    const run = (...argv: string[]) => runCommand(argv, {home: lab.daemon.home})
    return {lab, project, release, run, document: async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout)}
  }

  test('is shown, restarted, stopped and started', async () => {
    const {lab, release, run, document} = await deployed()
    const id = await release('1')
    const {web: container = ''} = await lab.containers('runs')
    const short = container.slice(0, 12)
    const containers = await run('services', 'containers', 'runs')
    expect(containers).toMatchObject({exitCode: 0, stderr: '', stdout: expect.stringMatching(new RegExp(`^web\\t${short}\\trunning\\t[\\d.]+\\t8150\\tlab/web:1\\t\\tlabel\\n`, 'm'))})
    expect((await run('deployments', 'info', id)).stdout).toMatch(new RegExp(`^container\\t${container}\\nstatus\\trunning\\naddress\\t[\\d.]+\\nports\\t8150:80\\n`))
    expect((await run('deployments', 'usage', id)).stdout).toMatch(/^web\t[\d.]+\t/m)
    expect(await document('deployments', 'usage', id)).toMatchObject({memoryMb: expect.any(Number), services: expect.any(Array)})
    expect(await run('deployments', 'restart', id)).toMatchObject({exitCode: 0, stdout: 'the containers of Runs are restarted\n'})
    expect((await run('projects', 'disable', 'runs')).stdout).toBe('Runs is stopped\n')
    expect((await document('services', 'containers', 'runs')).items.map(({status}: {status: string}) => status)).toEqual(['exited', 'exited'])
    expect((await run('projects', 'enable', 'runs')).stdout).toBe('Runs is started\n')
    expect((await document('services', 'containers', 'runs')).items.map(({status}: {status: string}) => status)).toEqual(['running', 'running'])
    const gone = await run('services', 'delete', 'runs/web', '--volumes', '--yes')
    expect(gone).toMatchObject({exitCode: 0, stdout: 'runs/web is deleted, and its container is gone\n', stderr: expect.stringContaining(`container ${short} goes\nvolume data goes, unless another service mounts it\n`)})
    expect(Object.keys(await lab.containers('runs'))).toEqual(['other'])
    expect(await lab.host.run('docker volume ls --quiet --filter name=moorage-runs')).toBe('')
  })

  test('is taken back with the release before, and what was edited here drifts from the source or goes with it', async () => {
    const {project, lab, release, run, document} = await deployed()
    const first = await release('1')
    expect((await document('deployments', 'reject', first)).error).toMatchObject({code: 'NO_PREDECESSOR', suggestions: ['moorage deploy runs', 'moorage projects disable runs']})
    const second = await release('2')
    const rejected = await run('deployments', 'reject', second, '--wait')
    expect(rejected).toMatchObject({exitCode: 0, stdout: expect.stringMatching(/^Runs is live: release 1 /), stderr: expect.stringMatching(new RegExp(`^dep_[\\w-]+ brings ${first} back\\n`))})
    expect((await run('deployments', 'show', second)).stdout).toContain('status\trejected\n')
    for (const [verb, image] of [['keep', 'lab/web:3'], ['accept', 'lab/web:2']] as const) {
      await run('services', 'update', 'runs/web', '--image', 'lab/web:3')
      await project.write({web: {...web('2'), image: verb === 'keep' ? 'lab/healthy:1' : 'lab/web:2'}, other})
      expect((await lab.deploy(project.id)).status).toMatch(/^(ready|no_changes)$/)
      expect(await run('services', 'show', 'runs/web')).toMatchObject({stdout: expect.stringContaining('drift\timage\n'), stderr: expect.stringContaining('services drift keep runs/web')})
      expect((await run('services', 'drift', verb, 'runs/web')).exitCode).toBe(0)
      expect(await document('services', 'show', 'runs/web')).toMatchObject({image, drift: null})
    }
  })
})
