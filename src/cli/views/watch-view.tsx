import {Box, Text} from 'ink'
import type {Job} from '../../contract/job.js'
import type {Io} from '../io.js'
import {jobState, scheduleText} from '../job-text.js'
import {formatRelative} from '../time-text.js'
import {openView} from './open-view.js'
import {RunView} from './run-view.js'
import type {RunViewState} from './run-view-state.js'

export interface WatchView {
  /** Shows something else from now on. */
  show(shown: Shown): void
  /** Leaves the last picture on the terminal and gives it back. */
  end(): Promise<void>
}

export interface Shown {
  readonly job: Job | undefined
  readonly run: RunViewState | undefined
  readonly serverNames: ReadonlyMap<string, string>
}

/** A picture that is redrawn as time passes. Reads no keys, so that Ctrl-C stays what it is. */
export function openWatchView(io: Io, colour: boolean, hint: string): WatchView {
  let shown: Shown = {job: undefined, run: undefined, serverNames: new Map()}
  const view = openView(io, (isLast) => <Picture shown={shown} nowMs={io.now()} colour={colour} hint={isLast ? undefined : hint} />)
  return {
    show: (next) => {
      shown = next
    },
    end: () => view.end(),
  }
}

function Picture({shown, nowMs, colour, hint}: {readonly shown: Shown; readonly nowMs: number; readonly colour: boolean; readonly hint: string | undefined}) {
  return (
    <Box flexDirection="column">
      {shown.job === undefined ? null : <JobLine job={shown.job} nowMs={nowMs} />}
      {shown.run === undefined ? null : <RunView state={shown.run} serverNames={shown.serverNames} nowMs={nowMs} colour={colour} />}
      {hint === undefined ? null : <Text dimColor>{hint}</Text>}
    </Box>
  )
}

function JobLine({job, nowMs}: {readonly job: Job; readonly nowMs: number}) {
  const next = job.nextRunAt === null ? 'no next run' : `next run ${formatRelative(job.nextRunAt, nowMs)}`
  return (
    <Text>
      <Text bold>{job.label}</Text> {scheduleText(job)}, {jobState(job)}, {next}
    </Text>
  )
}
