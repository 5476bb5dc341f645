import {expect, test} from 'vitest'
import {composeArguments} from '../../../../daemon/servers/engine/compose-arguments.js'

const args = ['-p', 'moorage-shop', '-f', 'compose.yml', 'up', '-d', '--no-build', '--remove-orphans']

test.each([
  ['plugin', '2.27.0', 'docker compose --ansi never -p moorage-shop -f compose.yml up -d --no-build --remove-orphans'],
  ['plugin', '5.0.1', 'docker compose --ansi never -p moorage-shop -f compose.yml up -d --no-build --remove-orphans'],
  ['standalone', '2.27.0', 'docker-compose --ansi never -p moorage-shop -f compose.yml up -d --no-build --remove-orphans'],
  ['standalone', '1.29.2', 'docker-compose --ansi never -p moorage-shop -f compose.yml up -d --no-build --remove-orphans'],
  ['standalone', '1.28.0', 'docker-compose --ansi never -p moorage-shop -f compose.yml up -d --no-build --remove-orphans'],
  ['standalone', '1.25.0', 'docker-compose --no-ansi -p moorage-shop -f compose.yml up -d --no-build --remove-orphans'],
] as const)('%s %s is called as: %s', (kind, version, line) => {
  expect(composeArguments({kind, version}, args).join(' ')).toBe(line)
})

test('words are passed on as they are', () => {
  expect(composeArguments({kind: 'plugin', version: '2.0.0'}, ['exec', "it's $HOME", ''])).toEqual(['docker', 'compose', '--ansi', 'never', 'exec', "it's $HOME", ''])
})
