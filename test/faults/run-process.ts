// An executor as a process of its own, bundled and run by tests that kill it.
import {systemActor} from '../../daemon/events/record.js'
import {Jobs} from '../../daemon/jobs/records.js'
import {loadInstanceKey} from '../../daemon/store/instance-key.js'
import {createSealer} from '../../daemon/store/secrets.js'
import {startRunParts} from '../daemon/jobs/run-parts.js'

const [, , home, jobKey] = process.argv
if (home === undefined) throw new Error('which home?')

const parts = await startRunParts(home, createSealer(await loadInstanceKey({home})))
if (jobKey !== undefined) {
  const run = await parts.store.transaction(async (transaction) => {
    const job = await transaction.findOne(Jobs, 'key', [jobKey])
    if (job === undefined) throw new Error(`no job ${jobKey}`)
    return parts.requestRun(transaction, {job, trigger: 'manual', actor: systemActor})
  })
  process.stdout.write(`${run.id}\n`)
}
// Memory of the moment, for whoever asks how much a run takes.
process.stdin.on('data', () => process.stdout.write(`rss ${process.memoryUsage.rss()}\n`))
