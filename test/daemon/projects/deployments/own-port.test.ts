import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {dockerHostsMissing, startDockerHosts, type DockerHosts} from '../../../lab/docker-hosts.js'
import {temporaryFolder} from '../../start-test-daemon.js'
import {deployLab} from './deploy-lab.js'

const dockerfile = (exposed: string, port: number) => `FROM lab/base:1\nEXPOSE ${exposed}\nRUN echo here >/www/index.html\nCMD ["httpd", "-f", "-p", "${port}", "-h", "/www"]\nSTOPSIGNAL SIGKILL\n`

describe.skipIf(dockerHostsMissing() !== null)('the port of a project of one Dockerfile', {timeout: 120_000}, () => {
  let hosts: DockerHosts
  beforeAll(async () => {
    hosts = await startDockerHosts(1)
  })
  afterAll(() => hosts?.stop())

  it('is the one that its image exposes until somebody says another, and one behind which nothing listens is told', async () => {
    const lab = await deployLab(hosts, hosts.host(1))
    const folder = await temporaryFolder()
    const write = (text: string) => writeFile(join(folder, 'Dockerfile'), text)
    await write(dockerfile('8080/tcp 53/udp', 8080))
    const project = await lab.project({name: 'Own port', localPath: folder})
    const shown = async () => (await lab.daemon.call('GET', `/api/projects/${project.id}`)).body.data.port as number

    const first = await lab.deploy(project.id)
    expect(first, await lab.log(first.id)).toMatchObject({status: 'ready', warningMessage: null})
    expect(await lab.host.run(`wget -q -O - http://127.0.0.1:${first.services?.[0]?.hostPort}/`)).toBe('here\n')
    expect(await shown()).toBe(8080)
    const {services} = (await lab.daemon.call('GET', `/api/projects/${project.id}/services`)).body
    expect(services).toMatchObject([{ports: ['127.0.0.1::8080']}])
    expect((await lab.deploy(project.id)).status).toBe('no_changes')

    await write(dockerfile('9090', 9090))
    const moved = await lab.deploy(project.id)
    expect(moved, await lab.log(moved.id)).toMatchObject({status: 'ready', warningMessage: null})
    expect(await shown()).toBe(9090)

    expect((await lab.daemon.call('PATCH', `/api/projects/${project.id}`, {port: 3000})).status).toBe(200)
    const other = await lab.deploy(project.id)
    expect(other, await lab.log(other.id)).toMatchObject({status: 'ready', warningMessage: 'nothing listens on port 3000 of app, which is published, only on 9090'})
    expect(await lab.log(other.id)).toMatch(/port 3000 is published, and the image exposes 9090/)
    expect(await shown()).toBe(3000)
  })

  it('is left as it is where the image exposes several', async () => {
    const lab = await deployLab(hosts, hosts.host(1))
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'Dockerfile'), dockerfile('81 82', 3000))
    const project = await lab.project({name: 'Two ports', localPath: folder})
    const ended = await lab.deploy(project.id)
    expect(ended, await lab.log(ended.id)).toMatchObject({status: 'ready', warningMessage: null})
    expect(await lab.log(ended.id)).toMatch(/port 3000 is published, and the image exposes 81, 82; .*projects update two-ports --port 81/)
  })
})
