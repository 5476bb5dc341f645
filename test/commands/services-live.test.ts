import {describe, expect, onTestFinished, test} from 'vitest'
import {deployLab} from '../daemon/projects/deployments/deploy-lab.js'
import {dockerHostsMissing, startDockerHosts} from '../lab/docker-hosts.js'
import {sharedPart} from '../lab/shared-part.js'
import {runCommand, type RunOptions} from './run-command.js'

const talker = {image: 'lab/base:1', command: ['sh', '-c', 'echo out; echo err >&2; echo region $$REGION; trap "exit 0" TERM; while :; do sleep 0.2; done'], environment: {REGION: '${REGION:-nowhere}'}}

describe.skipIf(dockerHostsMissing() !== null)('services and env on a Docker host', {timeout: 180_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))

  async function deployed(): Promise<RunOptions> {
    const lab = await deployLab(hosts, hosts.host(1))
    const {id} = await lab.folder('Talk', {talker})
    expect((await lab.deploy(id)).status).toBe('ready')
    onTestFinished(async () => {
      await runCommand(['projects', 'delete', 'talk', '--volumes', '--yes'], options)
    })
    const options = {home: lab.daemon.home}
    return options
  }

  test('logs show the last lines, those since a moment, their times, and follow until the reader interrupts', async () => {
    const options = await deployed()
    const logs = (...flags: string[]) => runCommand(['services', 'logs', 'talk', ...flags], options)
    expect(await logs()).toMatchObject({exitCode: 0, stdout: expect.stringMatching(/^(?=.*out\n)(?=.*err\n)(?=.*region nowhere\n)/s)})
    expect((await logs('--tail', '1')).stdout.split('\n')).toHaveLength(2)
    expect((await logs('--since', '2999-01-01T00:00:00Z')).stdout).toBe('')
    expect((await logs('--since', '10m', '--timestamps')).stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z (out|err|region nowhere)\n/)
    expect(await logs('--since', 'soon')).toMatchObject({exitCode: 2, stderr: expect.stringContaining('--since')})
    const following = await runCommand(['services', 'logs', 'talk/talker', '--follow', '--json'], {...options, onOutput: (stdout, _, control) => {
      if (stdout.includes('region')) control.interrupt()
    }})
    const entries = following.stdout.trim().split('\n').map((line) => JSON.parse(line))
    expect(following.exitCode).toBe(130)
    expect(entries[0]).toMatchObject({type: 'log', serviceName: 'talker', message: expect.stringMatching(/\n$/)})
    expect(entries.at(-1)).toMatchObject({type: 'result', error: {code: 'INTERRUPTED'}})
  })

  test('exec ends as its command did, reads what is on stdin, and is refused where nothing runs', async () => {
    const options = await deployed()
    const exec = (...words: string[]) => runCommand(['services', 'exec', 'talk/talker', ...words], {...options, stdin: 'typed\n'})
    expect(await exec('--directory', '/tmp', '--', 'sh', '-c', 'pwd; cat; echo "a  b" >&2')).toEqual({exitCode: 0, stdout: '/tmp\ntyped\n', stderr: 'a  b\n'})
    expect(await exec('--', 'exit 41')).toMatchObject({exitCode: 41, stdout: '', stderr: expect.stringContaining('exit code 41')})
    expect(await exec('--run-timeout', '1s', '--', 'sleep', '60')).toMatchObject({exitCode: 1, stderr: expect.stringContaining('took too long')})
    const {stdout, exitCode} = await runCommand(['services', 'exec', 'talk', '--json', '--', 'echo hi; exit 7'], options)
    expect([exitCode, JSON.parse(stdout).error]).toMatchObject([7, {code: 'RUN_FAILED', details: {exitCode: 7, output: 'hi\n'}}])
    expect((await runCommand(['services', 'stop', 'talk'], options)).exitCode).toBe(0)
    expect(await exec('--', 'true')).toMatchObject({exitCode: 1, stderr: expect.stringContaining('moorage services start talk/talker')})
  })

  test('a variable is set, is not applied by a restart, and is with the next deployment', async () => {
    const options = await deployed()
    expect((await runCommand(['env', 'set', 'talk', 'REGION=eu'], options)).stdout).toBe('REGION of talk is set\n')
    expect(await runCommand(['services', 'restart', 'talk'], options)).toMatchObject({exitCode: 1, stderr: expect.stringMatching(/REGION.*SERVICE_CONFIG_STALE[\s\S]*moorage deploy talk --refresh/)})
    expect((await runCommand(['deploy', 'talk', '--wait'], options)).exitCode).toBe(0)
    expect((await runCommand(['services', 'logs', 'talk'], options)).stdout).toContain('region eu\n')
    expect((await runCommand(['services', 'restart', 'talk'], options)).exitCode).toBe(0)
    expect(await runCommand(['services', 'show', 'talk/none'], options)).toMatchObject({exitCode: 1, stderr: expect.stringContaining('has no service none')})
  })
})
