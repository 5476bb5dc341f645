#!/usr/bin/env node
import {readFileSync} from 'node:fs'
import module from 'node:module'
import {adviceForOldNode} from './bootstrap.mjs'

const argv = process.argv.slice(2)
const advice = adviceForOldNode(process.version)

if (advice !== undefined) {
  process.stderr.write(`${advice}\n`)
  process.exitCode = 1
} else if (argv[0] === '--version' || (argv[0] === '-v' && argv.length === 1)) {
  const {name, version} = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const json = argv.includes('--json')
  process.stdout.write(json ? `${JSON.stringify({version, node: process.version, platform: `${process.platform}-${process.arch}`}, null, 2)}\n` : `${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`)
} else {
  module.enableCompileCache?.()
  const {main} = await import('../dist/src/cli/main.js')
  await main(argv, new URL('..', import.meta.url))
}
