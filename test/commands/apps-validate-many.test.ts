import {mkdir, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {catalogFiles} from '../catalog/sample-definitions.js'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {runCommand} from './run-command.js'

// What the server would refuse, one way each.
const breaks: readonly ((text: string) => string)[] = [
  (text) => text.replace('"kind": "template"', '"kind": "tempate"'),
  (text) => text.replace(/"name": "[^"]*",\n/, ''),
  (text) => text.slice(0, text.length / 2),
  (text) => text.replace(/"image": "[^"]*"/, '"image": ""'),
  (text) => text.replace('"logo": "', '"logo": 5, "was": "'),
]

async function thousand(): Promise<{folder: string; broken: Set<string>}> {
  const sources = catalogFiles().filter(({text}) => /"image": "/.test(text) && /"kind": "template"/.test(text))
  const folder = await temporaryFolder()
  const broken = new Set<string>()
  for (let index = 0; index < 1000; index += 1) {
    const name = `app-${index}.json`
    const parent = path.join(folder, `group-${index % 10}`)
    await mkdir(parent, {recursive: true})
    const text = (sources[index % sources.length]?.text ?? '').replace(/"id": "[^"]*"/, `"id": "app-${index}"`)
    const isBroken = index % 20 === 7
    if (isBroken) broken.add(name)
    await writeFile(path.join(parent, name), isBroken ? (breaks[(index / 20) % breaks.length | 0]?.(text) ?? '') : text)
  }
  return {folder, broken}
}

describe('a folder of a thousand definitions, fifty of them broken', () => {
  test('has errors in those fifty and in no other', async () => {
    const {folder, broken} = await thousand()
    expect(broken.size).toBe(50)
    const {stdout, exitCode} = await runCommand(['apps', 'validate', folder, '--json', '--ignore', 'host-port-clash', '--ignore', 'article-missing'], {home: folder})
    expect(exitCode).toBe(1)
    const {files, findings} = JSON.parse(stdout).error.details
    expect(files).toBe(1000)
    const wrong = new Set(findings.filter(({severity}: {severity: string}) => severity === 'error').map(({file}: {file: string}) => path.basename(file)))
    expect(wrong).toEqual(broken)
  })
})
