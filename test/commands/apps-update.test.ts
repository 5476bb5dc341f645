import {expect, test} from 'vitest'
import {app, catalogFolder, startAppDaemon} from '../daemon/apps/app-fixture.js'
import {startTestDaemon} from '../daemon/start-test-daemon.js'
import {runCommand} from './run-command.js'

const box = (image: string) => app('paste-box', {name: 'Paste Box', services: [{name: 'web', image}]})

test('apps update shows what is new, asks, and says when there is nothing', async () => {
  const first = await startAppDaemon([box('paste:1')])
  const {home} = first
  expect(await runCommand(['apps', 'install', 'paste-box', '--no-deploy'], {home})).toMatchObject({exitCode: 0})
  expect(await runCommand(['apps', 'update', 'paste-box'], {home})).toMatchObject({exitCode: 0, stdout: 'Paste Box is up to date\n'})
  await first.daemon.stop()
  await startTestDaemon({home}, {catalogFolder: await catalogFolder([box('paste:2')])})
  const dry = await runCommand(['apps', 'update', 'paste-box', '--dry-run'], {home})
  expect(dry).toMatchObject({exitCode: 0, stdout: expect.stringMatching(/^web: changed\n {2}image: paste:1 -> paste:2\n/)})
  expect(JSON.parse((await runCommand(['apps', 'update', 'paste-box', '--dry-run', '--json'], {home})).stdout)).toMatchObject({updated: false, plan: {upToDate: false, services: [{service: 'web', change: 'changed'}]}})
  expect(await runCommand(['apps', 'update', 'paste-box'], {home})).toMatchObject({exitCode: 2, stdout: '', stderr: expect.stringContaining('--yes')})
  expect(await runCommand(['apps', 'update', 'nothing', '--yes'], {home})).toMatchObject({exitCode: 1, stderr: expect.stringContaining('no project nothing')})
})
