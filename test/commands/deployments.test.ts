import {describe, expect, test} from 'vitest'
import {deployLab, type DeployLab} from '../daemon/projects/deployments/deploy-lab.js'
import {startTestDaemon} from '../daemon/start-test-daemon.js'
import {dockerHostsMissing, startDockerHosts} from '../lab/docker-hosts.js'
import {sharedPart} from '../lab/shared-part.js'
import {runCommand} from './run-command.js'

const web = (version: string, more: object = {}) => ({web: {image: 'lab/web:1', environment: {VERSION: version}, ...more}})

test.each(['show', 'logs', 'watch', 'cancel', 'rollback', 'redeploy', 'pin', 'diff'])('deployments %s says which deployment is not there', async (verb) => {
  const {home} = await startTestDaemon()
  expect(await runCommand(['deployments', verb, 'dep_nowhere'], {home})).toMatchObject({exitCode: 1, stdout: '', stderr: expect.stringContaining('no deployment dep_nowhere')})
})

test('deploy says which project is not there, and what can not be deployed', async () => {
  const {home, call} = await startTestDaemon()
  expect(await runCommand(['deploy', 'nothing'], {home})).toMatchObject({exitCode: 1, stderr: expect.stringContaining('no project nothing')})
  await call('POST', '/api/projects', {name: 'Empty'})
  const {stdout, exitCode} = await runCommand(['deploy', 'empty', '--json'], {home})
  expect([exitCode, JSON.parse(stdout).error.code]).toEqual([1, 'NOTHING_TO_DEPLOY'])
  expect(await runCommand(['deployments', 'list'], {home})).toMatchObject({exitCode: 0, stdout: '', stderr: 'no deployments\n'})
})

describe.skipIf(dockerHostsMissing() !== null)('deploy and deployments', {timeout: 180_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))

  const open = async (name: string): Promise<{lab: DeployLab; home: string; project: Awaited<ReturnType<DeployLab['folder']>>}> => {
    const lab = await deployLab(hosts, hosts.host(1))
    return {lab, home: lab.daemon.home, project: await lab.folder(name, web('1'))}
  }

  test('end with the truth: 0 with the release, 1 with why and what is served, 8 when the time is over', async () => {
    const {lab, home, project} = await open('Truth')
    const first = await runCommand(['deploy', project.slug, '--wait'], {home})
    expect(first).toMatchObject({exitCode: 0, stdout: expect.stringMatching(/^Truth is live: release 1 \(dep_[\w-]+\)\n$/)})
    expect(first.stderr).toMatch(/^dep_[\w-]+ deploys truth\n/)
    expect(first.stderr).toContain('[web] web is up')
    await project.write(web('2', {command: ['false'], restart: 'no'}))
    const broken = await runCommand(['deploy', project.slug, '--wait'], {home})
    expect(broken).toMatchObject({exitCode: 1, stdout: ''})
    expect(broken.stderr).toMatch(/failed \(start\): web ended with code 1; dep_[\w-]+ is served again/)
    await project.write(web('3'))
    const late = await runCommand(['deploy', project.slug, '--wait', '--timeout', '1s'], {home})
    expect(late.exitCode).toBe(8)
    const {data: [going]} = (await lab.daemon.call('GET', `/api/deployments?projectId=${project.id}`)).body
    expect((await lab.ended(going.id)).status).toBe('ready')
  })

  test('without waiting answer with the id alone, which watch, show, list and logs take up', async () => {
    const {home, project} = await open('Later')
    const {stdout, exitCode} = await runCommand(['deploy', project.slug], {home})
    expect(exitCode).toBe(0)
    const id = stdout.trim()
    expect(id).toMatch(/^dep_[\w-]{16}$/)
    expect(await runCommand(['deployments', 'watch', id], {home})).toMatchObject({exitCode: 0, stdout: expect.stringContaining('Later is live: release 1')})
    expect((await runCommand(['deployments', 'show', id], {home})).stdout).toContain('status\tready\n')
    expect((await runCommand(['deployments', 'list', '--project', 'later'], {home})).stdout).toMatch(new RegExp(`^${id}\tLater\tready\t`))
    expect((await runCommand(['deployments', 'logs', id, '--service', 'web', '--tail', '1'], {home})).stdout).toBe('[web] web is up\n')
    expect(await runCommand(['deployments', 'cancel', id], {home})).toMatchObject({exitCode: 1, stderr: expect.stringContaining('DEPLOYMENT_FINISHED')})
  })

  test('give one document with --json, compare, pin and bring back', async () => {
    const {home, project} = await open('Json')
    const document = async (...argv: string[]) => JSON.parse((await runCommand([...argv, '--json'], {home})).stdout)
    const first = await document('deploy', project.slug)
    expect(first).toMatchObject({status: 'ready', version: 1})
    await project.write(web('2'))
    const second = await document('deploy', project.slug, '--service', 'web')
    expect(second).toMatchObject({status: 'ready', version: 2})
    expect((await runCommand(['deployments', 'diff', second.id], {home})).stdout).toContain('web: changed\n  environment.VERSION: ')
    expect((await runCommand(['deployments', 'pin', first.id], {home})).stdout).toBe(`${first.id} is kept\n`)
    expect(await document('deployments', 'rollback', first.id, '--dry-run')).toMatchObject({mode: 'images', changedServices: ['web']})
    const back = await document('deployments', 'rollback', first.id)
    expect(back).toMatchObject({status: 'ready', version: 1, rollbackOf: first.id})
    expect(await runCommand(['deployments', 'delete', second.id], {home})).toMatchObject({exitCode: 2, stderr: expect.stringContaining('--yes')})
    expect((await runCommand(['deployments', 'delete', second.id, '--yes'], {home})).exitCode).toBe(0)
  })
})
