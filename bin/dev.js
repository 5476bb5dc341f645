#!/usr/bin/env node
// Builds from the sources, then runs what was built.
import {execFileSync} from 'node:child_process'
import {fileURLToPath} from 'node:url'

execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.mjs', import.meta.url))], {stdio: ['ignore', 2, 2]})
await import('./run.js')
