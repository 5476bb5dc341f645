import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {mkdir, readdir, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {withConfig} from '../../../../daemon/servers/engine/cli/client-config.js'
import {temporaryFolder} from '../../start-test-daemon.js'

/** Runs a command with a configuration of its own by the shell of this machine. */
async function run(words: readonly string[], rest = '') {
  const [home, temporary] = [await temporaryFolder(), await temporaryFolder()]
  await mkdir(path.join(home, '.docker', 'contexts'), {recursive: true})
  await writeFile(path.join(home, '.docker', 'contexts', 'one'), 'mine')
  const config = '{"auths":{"r.test":{"auth":"ü"}}}'
  const {command: [program = '', ...args], input} = withConfig(words, config)
  const child = spawn(program, args, {env: {PATH: process.env['PATH'], HOME: home, TMPDIR: temporary}, stdio: ['pipe', 'pipe', 'inherit']})
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stdin.end(Buffer.concat([Buffer.from(String(input)), Buffer.from(rest)]))
  return {config, args, temporary, child, stdout: () => stdout, ended: once(child, 'close')}
}

test('the client finds the configuration, contexts of its user beside it and what is meant for itself on stdin; its exit code is kept', async () => {
  const {config, args, temporary, ended, stdout} = await run(['sh', '-c', 'cat "$DOCKER_CONFIG/config.json" "$DOCKER_CONFIG/contexts/one" -; exit 7'], ' and the context')
  expect((await ended)[0]).toBe(7)
  expect(stdout()).toBe(`${config}mine and the context`)
  expect(args.join(' ')).not.toContain('r.test')
  expect(await readdir(temporary)).toEqual([])
})

test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('nothing of it stays after %s', async (signal) => {
  const {temporary, child, stdout, ended} = await run(['sh', '-c', 'echo ready; exec sleep 600'])
  await expect.poll(stdout).toBe('ready\n')
  expect(await readdir(temporary)).toHaveLength(1)
  child.kill(signal)
  await ended
  expect(await readdir(temporary)).toEqual([])
})
