import {existsSync} from 'node:fs'
import {Fault} from '../../contract/faults.js'
import {checkDefinitions, type Check, type CheckResult} from './check-definitions.js'
import {findDefinitionFiles, stdinName} from './definition-files.js'
import {watchPaths} from './watch-paths.js'

export interface WatchListener {
  onResult(result: CheckResult): Promise<void>
  /** Such as a folder that is empty for a moment. */
  onFault(fault: Fault): void
}

/** Checks now and with every change, until the signal ends it. */
export async function watchDefinitions(check: Check, listener: WatchListener): Promise<void> {
  if (check.paths.includes(stdinName)) throw new Fault('USAGE', 'stdin can not be watched; give files or folders')
  const paths = check.paths.length > 0 ? check.paths : [existsSync('catalog') ? 'catalog' : '.']
  await findDefinitionFiles(paths)
  let isFirst = true
  for await (const _ of watchPaths(paths, check.signal)) {
    try {
      await listener.onResult(await checkDefinitions(check))
    } catch (error) {
      if (isFirst || !(error instanceof Fault) || check.signal.aborted) throw error
      listener.onFault(error)
    }
    isFirst = false
  }
}
