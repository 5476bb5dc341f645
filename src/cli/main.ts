import {run} from '@oclif/core/run'
import {fileURLToPath} from 'node:url'
import {Fault} from '../contract/faults.js'
import {exitCodeOf, renderFault, toErrorDocument, toFault} from './command-fault.js'
import {createPaint} from './colour.js'

const programName = 'moorage'

/** Runs the command that the arguments name. What fails before there is one, such as a name that is none, ends here. */
export async function main(argv: string[], root: URL): Promise<void> {
  // The program reads its own manifest; looking for one beside a symbolic link would find another's.
  process.stdout.on('error', endWithoutOutput)
  try {
    await run(argv, {root: fileURLToPath(root)})
  } catch (error) {
    const fault = await explain(error, argv, root)
    process.exitCode = exitCodeOf(fault)
    if (argv.includes('--json')) process.stdout.write(`${JSON.stringify(toErrorDocument(fault, programName), null, 2)}\n`)
    else process.stderr.write(renderFault(fault, {programName, paint: createPaint(false), verbose: argv.includes('--verbose')}))
  }
}

// Of --help and the like; a command takes this over.
function endWithoutOutput(error: Error): void {
  if ('code' in error && error.code === 'EPIPE') return
  process.exitCode = 1
  process.stderr.write(`error: can not write the output: ${error.message}\n`)
}

async function explain(error: unknown, argv: readonly string[], root: URL): Promise<Fault> {
  const fault = toFault(error)
  if (fault.code !== 'USAGE' || !/^command .* not found$/.test(fault.message)) return fault
  const {findSimilarCommands, readCommandIds} = await import('./similar-commands.js')
  const typed = argv.filter((word) => !word.startsWith('-'))
  const ids = await readCommandIds(root)
  const known = [3, 2, 1].map((length) => typed.slice(0, length).join(' ')).find((id) => ids.includes(id))
  if (known !== undefined) {
    return new Fault('USAGE', `${known} takes no argument: ${typed.slice(known.split(' ').length).join(' ')}`, {suggestions: [`${known} --help`]})
  }
  const similar = findSimilarCommands(typed, ids)
  return new Fault('USAGE', `there is no command ${typed.slice(0, 2).join(' ')}`, {suggestions: similar.length > 0 ? similar : ['--help']})
}
