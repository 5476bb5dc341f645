import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {byTurns, type Row} from '../measure.js'
import {inFolder, root, timeProgram} from '../processes.js'

const definitions = 1000
const rounds = 5
const cli = path.join(root, 'bin/run.js')

/** Checking a catalog of 1,000 files, made of the bundled definitions under other ids, beyond what it takes to check one. */
export const appsValidate: Row = {
  name: 'apps-validate',
  measure: () =>
    inFolder(async (folder) => {
      const [many, one] = [path.join(folder, 'many'), path.join(folder, 'one')]
      await writeDefinitions(many, definitions)
      await writeDefinitions(one, 1)
      const environment = {...process.env, MOORAGE_HOME: folder, MOORAGE_CONFIG_DIR: path.join(folder, 'client')}
      const check = (checked: string) => () => timeProgram(process.execPath, [cli, 'apps', 'validate', checked, '--quiet', '--ignore', 'article-missing'], environment)
      const {all, start} = await byTurns(rounds, {all: check(many), start: check(one)})
      const beyondMs = all - start
      return [
        {row: `apps validate of ${definitions} definitions, beyond start-up`, ours: beyondMs, unit: 'ms', figure: beyondMs, required: {atMost: 1000}, note: `start-up and one definition ${Math.round(start)} ms`},
      ]
    }),
}

async function writeDefinitions(folder: string, count: number): Promise<void> {
  await mkdir(folder)
  const source = path.join(root, 'catalog/apps')
  const texts = await Promise.all((await readdir(source)).sort().map((name) => readFile(path.join(source, name), 'utf8')))
  for (let index = 0; index < count; index += 1) {
    const id = `app-${index}`
    const text = (texts[index % texts.length] ?? '').replace(/"id": "[^"]+"/, `"id": "${id}"`)
    await writeFile(path.join(folder, `${id}.json`), text)
  }
}
