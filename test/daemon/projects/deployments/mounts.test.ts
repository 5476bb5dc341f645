import {describe, expect, it} from 'vitest'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {deployLab} from './deploy-lab.js'

describe.skipIf(dockerHostsMissing() !== null)('what a release mounts', () => {
  const lab = sharedPart(() => startDockerHosts(1))

  it('is read by a container that is not root, and by no other user of the server', async () => {
    const host = lab.host(1)
    const shop = await deployLab(lab, host)
    const service = (word: string) => ({
      web: {image: 'lab/base:1', user: '1000:1000', volumes: ['./conf:/conf:ro', './one.txt:/one.txt:ro'], command: ['sh', '-c', `echo ${word} && cat /conf/deep/two.txt /one.txt && ls /conf && exec sleep 600`]},
    })
    const project = await shop.folder('Mounts', service('first'), {'conf/deep/two.txt': 'two\n', 'conf/three.txt': 'three\n', 'one.txt': 'one\n'})
    const logs = async () => host.docker('logs', (await shop.containers(project.slug))['web'] ?? '')
    const served = await shop.deploy(project.id)
    expect(served, served.errorMessage ?? '').toMatchObject({status: 'ready'})
    await expect.poll(logs).toBe('first\ntwo\none\ndeep\nthree.txt\n')
    expect(await host.run(`cd /srv/moorage/${project.slug} && stat -c %a . files compose.yml`)).toBe('700\n700\n600\n')
    expect(await host.run(`cd /srv/moorage/${project.slug} && find files/* -type d ! -perm 755 -o -type f ! -perm 644`)).toBe('')
    expect(await host.attempt(`cat /srv/moorage/${project.slug}/files/*/one.txt`, {user: host.users.guest})).toMatchObject({stdout: '', exitCode: 1})

    await host.run(`chmod -R go= /srv/moorage/${project.slug}/files`)
    await project.write(service('second'))
    expect(await shop.deploy(project.id)).toMatchObject({status: 'ready'})
    await expect.poll(logs).toBe('second\ntwo\none\ndeep\nthree.txt\n')
  }, 60_000)
})
