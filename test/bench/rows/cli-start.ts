import {existsSync} from 'node:fs'
import path from 'node:path'
import {byTurns, type Measurement, type Missing, type Row} from '../measure.js'
import {inFolder, root, serve, timeProgram} from '../processes.js'

const rounds = 15
const cli = path.join(root, 'bin/run.js')

/** `NODE_24` names the program of a second Node to measure under. */
export const cliStart: Row = {
  name: 'cli-start',
  async measure() {
    if (!existsSync(cli)) return [{row: 'CLI start', missing: 'bin/run.js is not there'}]
    const second = process.env['NODE_24']
    const results: (Measurement | Missing)[] = await measureUnder(process.execPath)
    if (second === undefined) results.push({row: 'CLI start, Node 24', missing: 'set NODE_24 to the path of its program'})
    else results.push(...(await measureUnder(second)))
    return results
  },
}

function measureUnder(node: string): Promise<Measurement[]> {
  return inFolder(async (home) => {
    const daemon = await serve(home)
    try {
      const environment = {...process.env, MOORAGE_HOME: home, MOORAGE_CONFIG_DIR: path.join(home, 'client')}
      const major = Number((await nodeVersion(node)).split('.')[0])
      const {bare, version, command} = await byTurns(rounds, {
        bare: () => timeProgram(node, ['-e', '0']),
        version: () => timeProgram(node, [cli, '--version'], environment),
        command: () => timeProgram(node, [cli, 'whoami'], environment),
      })
      const row = (name: string, ours: number, atMost: number): Measurement => ({
        row: `${name}, Node ${major}, to node -e 0`, ours, peer: bare, unit: 'ms', figure: ours / bare, required: {atMost},
      })
      return [row('moorage --version', version, major >= 24 ? 2.2 : 2), row('moorage whoami, local daemon', command, major >= 24 ? 4.5 : 3.5)]
    } finally {
      await daemon.stop()
    }
  })
}

async function nodeVersion(node: string): Promise<string> {
  const {execFileSync} = await import('node:child_process')
  return execFileSync(node, ['-p', 'process.versions.node'], {encoding: 'utf8'})
}
