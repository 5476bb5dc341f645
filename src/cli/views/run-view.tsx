import {Box, Text} from 'ink'
import {formatDuration} from '../time-text.js'
import type {RunViewState} from './run-view-state.js'

export interface RunViewProps {
  readonly state: RunViewState
  readonly serverNames: ReadonlyMap<string, string>
  readonly nowMs: number
  readonly colour: boolean
}

const colours = {queued: 'yellow', running: 'cyan', success: 'green', failed: 'red', cancelled: 'yellow', skipped: 'yellow'} as const

/** State, servers and the last lines of a run. */
export function RunView({state, serverNames, nowMs, colour}: RunViewProps) {
  const endMs = state.finishedAt === null ? nowMs : Date.parse(state.finishedAt)
  const took = state.startedAt === null ? 'not started' : formatDuration(Math.max(0, endMs - Date.parse(state.startedAt)))
  const ended = state.servers.filter(({status}) => status !== 'queued' && status !== 'running').length
  const name = (id: string) => serverNames.get(id) ?? id
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold>{state.jobKey}</Text> {state.runId} <Status status={state.status} colour={colour} /> {took}
        {state.servers.length > 1 ? ` ${ended}/${state.servers.length} servers` : ''}
      </Text>
      {state.error === null ? null : <Text>{state.error}</Text>}
      {state.servers.length > 1
        ? state.servers.map((server) => (
            <Text key={server.serverId}>
              {'  '}
              {name(server.serverId)} <Status status={server.status} colour={colour} />
              {server.exitCode === null ? '' : ` exit ${server.exitCode}`}
            </Text>
          ))
        : null}
      {state.lineCount > state.tail.length ? <Text dimColor>… {state.lineCount - state.tail.length} lines above</Text> : null}
      {state.tail.map(({serverId, text}, index) => (
        <Text key={state.lineCount - state.tail.length + index} wrap="truncate">
          {serverId !== null && state.servers.length > 1 ? `[${name(serverId)}] ` : ''}
          {text}
        </Text>
      ))}
    </Box>
  )
}

function Status({status, colour}: {readonly status: keyof typeof colours; readonly colour: boolean}) {
  return colour ? <Text color={colours[status]}>{status}</Text> : <Text>{status}</Text>
}
