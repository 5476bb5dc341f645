import {describe, expect, it} from 'vitest'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {deployLab} from './deploy-lab.js'

describe.skipIf(dockerHostsMissing() !== null)('two projects of one name on one server', () => {
  const lab = sharedPart(() => startDockerHosts(1))

  const web = {web: {image: 'lab/web:1', volumes: ['data:/data']}}

  it('the second is refused before anything is touched, and deleting it leaves the first alone', async () => {
    const host = lab.host(1)
    const [first, second] = [await deployLab(lab, host), await deployLab(lab, host)]
    const ours = await first.folder('Twin', web)
    expect(await first.deploy(ours.id)).toMatchObject({status: 'ready'})
    const seen = async () => [await first.containers('twin'), await host.run('cat /srv/moorage/twin/compose.yml'), (await host.docker('volume', 'ls', '--quiet', '--filter', 'name=moorage-twin')).trim()]
    const before = await seen()

    const theirs = await second.folder('Twin', {web: {image: 'lab/web:2'}})
    const refused = await second.deploy(theirs.id)
    expect(refused).toMatchObject({status: 'failed', errorCode: 'CONFLICT', errorDetails: {composeProjectName: 'moorage-twin', holder: ours.id}})
    expect(refused.errorMessage).toMatch(/nothing was stopped/)
    expect(await seen()).toEqual(before)

    const preview = (await second.daemon.call('GET', `/api/projects/${theirs.id}/deletion-preview?wipeVolumes=true`)).body.data
    expect([preview.reachable, preview.removed, preview.kept]).toEqual([true, [], []])
    expect((await second.daemon.call('DELETE', `/api/projects/${theirs.id}?wipeVolumes=true`)).body).toMatchObject({ok: true, orphaned: []})
    expect(await seen()).toEqual(before)
    expect(await first.deploy(ours.id)).toMatchObject({status: 'no_changes'})
  }, 90_000)

  it('what a project left that is gone is in nobody’s way', async () => {
    const host = lab.host(1)
    const shop = await deployLab(lab, host)
    const gone = await shop.folder('Again', web)
    expect(await shop.deploy(gone.id)).toMatchObject({status: 'ready'})
    await shop.daemon.call('DELETE', `/api/projects/${gone.id}?recordOnly=true`)
    const again = await shop.folder('Again', web)
    expect(await shop.deploy(again.id)).toMatchObject({status: 'failed', errorCode: 'CONFLICT'})
    await host.docker('rm', '--force', ...Object.values(await shop.containers('again')))
    expect(await shop.deploy(again.id)).toMatchObject({status: 'ready'})
  }, 90_000)
})
