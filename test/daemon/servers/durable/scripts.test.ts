import {execFileSync} from 'node:child_process'
import {mkdtemp, readdir, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {fetchScript, followScript, launchScript, removeScript, stopScript} from '../../../../daemon/servers/durable/scripts.js'
import {durableCommand} from '../durable-cases.js'
import {posixShells} from './shells.js'

const context = {token: 'TOKEN', runsFolder: '/srv/my runs'}
const launch = {...context, launchedAtMs: 1_700_000_000_000, loginShell: false}

test('the short scripts are exactly this', () => {
  const head = ['{', 'm_token=TOKEN', "m_base='/srv/my runs'", 'm_dir=$m_base/run.1', `m_tell() { printf '%s %s\\n' "$m_token" "$1" >&2; }`, 'exec 3<&0', `printf '%s\\n' "$m_token"`]
  expect(fetchScript(context, 'run.1', 'stderr', 41).split('\n')).toEqual([...head, 'exec tail -c +42 "$m_dir/stderr"', 'exit', '}', ''])
  expect(removeScript(context, 'run.1').split('\n')).toEqual([
    ...head, `if m_error=$(rm -rf "$m_dir" 2>&1); then m_tell 'done .'; else m_tell "failed $m_error"; fi`, 'exit', '}', '',
  ])
})

test('the launch script holds command and variables quoted, and nothing else of them', () => {
  const text = launchScript(launch, durableCommand('r', "echo 'quince'; exit", {env: {NAME: "it's"}, timeoutMs: 1500, killGraceMs: 250}), 7)
  expect(text).toContain(`export NAME='it'\\''s'\nexport MOORAGE_SCRIPT='echo '\\''quince'\\''; exit'\nexec "$@"\n`)
  expect(text).toContain('sleep 1.5 &')
  expect(text).toContain('m_end_group "$m_pid" 3')
  expect(text.split('quince').length).toBe(3)
})

test('runs lie in the home of the login user unless told otherwise', () => {
  expect(followScript({...context, runsFolder: null}, 'r', 'output', 0)).toContain('m_base="$HOME/.moorage/runs"\nm_dir=$m_base/r\n')
})

test('refuses an id that could lead out of the folder', () => {
  for (const id of ['', '.', '..', '../x', 'a/b', 'a b', '.hidden', 'a\nb', 'x'.repeat(201), '$(x)']) {
    expect(() => stopScript(context, id, 0), id).toThrow(expect.objectContaining({code: 'VALIDATION_ERROR'}))
  }
})

test('refuses a variable that would end the shell', () => {
  for (const name of ['UID', 'PPID', '1A', 'A B', 'A;B', '']) {
    expect(() => launchScript(launch, durableCommand('r', 'true', {env: {[name]: 'x'}}), 0), name).toThrow(expect.objectContaining({code: 'VALIDATION_ERROR'}))
  }
})

test.each(posixShells)('half a script runs nothing under %s', async (_name, [file = '', ...args]) => {
  const runsFolder = await mkdtemp(join(tmpdir(), 'moorage-runs-'))
  const script = launchScript({...launch, runsFolder: join(runsFolder, 'runs')}, durableCommand('r', `touch ${runsFolder}/ran`), 0)
  for (const part of [0.2, 0.5, 0.9, 0.99]) {
    try {
      execFileSync(file, args, {input: script.slice(0, Math.floor(script.length * part)), stdio: ['pipe', 'ignore', 'ignore']})
    } catch {
      // A shell may complain about the cut; what matters is what it did.
    }
  }
  expect(await readdir(runsFolder)).toEqual([])
  await rm(runsFolder, {recursive: true, force: true})
})

test('every script parses in every shell', () => {
  const texts = [
    launchScript(launch, durableCommand('r', 'true', {separateStderr: true, timeoutMs: 1}), 0), followScript(context, 'r', 'output', 0), stopScript(context, 'r', 100),
    launchScript({...launch, loginShell: true}, durableCommand('r', 'true'), 0), fetchScript(context, 'r', 'output', 0), removeScript(context, 'r'),
  ]
  for (const [, [file = '', ...args]] of posixShells) for (const text of texts) execFileSync(file, [...args.slice(0, -1), '-n'], {input: text})
})
