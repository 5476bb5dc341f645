import {execFileSync, spawnSync} from 'node:child_process'
import {expect, test} from 'vitest'
import {parseManifest} from '../../../src/cli/completion.js'
import {renderCompletion} from '../../../src/cli/completion-scripts.js'

const manifest = {
  commands: {
    'jobs:run': {summary: "run a job, it's now", flags: {wait: {type: 'boolean', char: 'w', description: 'wait'}, overlap: {type: 'option', options: ['skip', 'queue'], description: 'x'}}},
    'jobs:list': {summary: 'list jobs', flags: {jobs: {type: 'boolean', allowNo: true, description: 'y'}}},
    whoami: {summary: 'who', flags: {}},
    secret: {hidden: true, flags: {}},
  },
}
const commands = parseManifest(manifest)

function completeInBash(line: string): string[] {
  const words = line.split(' ')
  const script = `${renderCompletion('bash', 'moorage', commands)}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_moorage_complete; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', script], {encoding: 'utf8'}).trim().split('\n').sort()
}

test.each([
  ['moorage ', ['jobs', 'whoami']],
  ['moorage jo', ['jobs']],
  ['moorage jobs ', ['list', 'run']],
  ['moorage jobs run --', ['--overlap', '--wait']],
  ['moorage jobs run nightly-backup --w', ['--wait']],
  ['moorage jobs run nightly-backup --overlap ', ['queue', 'skip']],
  ['moorage jobs list --no', ['--no-jobs']],
])('bash completes %j', (line, expected) => {
  expect(completeInBash(line)).toEqual(expected)
})

test('what is hidden is not completed', () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) expect(renderCompletion(shell, 'moorage', commands)).not.toContain('secret')
})

test('fish gets every command with its summary, quoted', () => {
  const script = renderCompletion('fish', 'moorage', commands)
  expect(script).toContain(`-n '__moorage_at jobs' -a 'run' -d 'run a job, it'\\''s now'`)
  expect(script).toContain(`-n '__moorage_in jobs run' -l wait -s w -d 'wait'`)
})

test('the scripts are ones that bash can read', () => {
  expect(spawnSync('bash', ['-n'], {input: renderCompletion('bash', 'moorage', commands)}).status).toBe(0)
})

test.each([null, [], {}, {commands: null}, {commands: {a: 7}}])('a manifest that is none gives no commands: %j', (value) => {
  expect(parseManifest(value).filter(({flags}) => flags.length > 0)).toEqual([])
})
