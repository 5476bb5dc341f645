import path from 'node:path'
import {ESLint} from 'eslint'
import {describe, expect, it} from 'vitest'

const eslint = new ESLint({
  overrideConfigFile: true,
  // The rule is plain JavaScript, so it is loaded by the configuration that everybody uses.
  overrideConfig: (await import(path.resolve('eslint.config.js')) as {default: ESLint.Options['overrideConfig'] & object[]}).default
    .filter((entry) => 'plugins' in entry && 'house' in (entry.plugins as object))
    .map((entry) => ({...entry, rules: {'house/boundaries': 'error'}})) as never,
})

async function reasons(file: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, {filePath: path.resolve(file)})
  return result?.messages.map((message) => message.message) ?? []
}

const refused: readonly [string, string, string][] = [
  ['commands/a/b.js', "import {x} from '../c/d.js'", 'never import each other'],
  ['commands/a/b.js', "import {x} from '../../daemon/store/ids.js'", 'through the client'],
  ['commands/daemon/run.js', "import {startDaemon} from '../../daemon/main.js'", 'await import()'],
  ['src/client/a.js', "import {x} from '../../daemon/clock.js'", 'imports neither'],
  ['src/client/a.js', "import {x} from '../cli/io.js'", 'src/cli/'],
  ['src/client/a.js', "import {Command} from '@oclif/core'", '@oclif/core'],
  ['daemon/jobs/a.js', "import {x} from '../projects/records.js'", 'an inside of daemon/projects'],
  ['daemon/jobs/a.js', "import {x} from '../access/handlers.js'", 'an inside of daemon/access'],
  ['daemon/store/a.js', "import {x} from '../jobs/due-heap.js'", 'knows no area'],
  ['daemon/jobs/a.js', "import {render} from 'ink'", 'ink'],
  ['daemon/jobs/a.js', "export {x} from '../../commands/a.js'", 'imports src/'],
]

const allowed: readonly [string, string][] = [
  ['commands/a/b.js', "import {x} from '../../src/cli/base-command.js'"],
  ['commands/daemon/run.js', "export const run = () => import('../../daemon/main.js')"],
  ['src/cli/a.js', "import {Command} from '@oclif/core'"],
  ['daemon/jobs/a.js', "import {x} from './records.js'\nimport {y} from '../projects/find-project.js'\nimport {z} from '../http/handlers.js'"],
  ['daemon/main.js', "import {x} from './jobs/handlers.js'"],
]

describe('the rule about who imports whom', () => {
  it.each(refused)('refuses in %s: %s', async (file, code, reason) => {
    expect(await reasons(file, code)).toEqual([expect.stringContaining(reason)])
  })

  it.each(allowed)('allows in %s: %s', async (file, code) => {
    expect(await reasons(file, code)).toEqual([])
  })
})
