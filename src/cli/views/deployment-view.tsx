import {Box, Text} from 'ink'
import {formatDuration} from '../time-text.js'
import type {DeploymentViewState} from './deployment-view-state.js'

export interface DeploymentViewProps {
  readonly state: DeploymentViewState
  readonly nowMs: number
  readonly colour: boolean
  readonly hint: string | undefined
}

const colours: Readonly<Record<string, string>> = {
  completed: 'green', ready: 'green', running: 'cyan', building: 'cyan', deploying: 'cyan', success: 'green', no_changes: 'green', failed: 'red', action_required: 'red', cancelled: 'yellow', reconciling: 'yellow',
}

const marks: Readonly<Record<string, string>> = {pending: '·', running: '…', completed: '✓', failed: '✗', skipped: '-'}

/** State, steps, services and the last lines of a deployment. */
export function DeploymentView({state, nowMs, colour, hint}: DeploymentViewProps) {
  const endMs = state.finishedAt === null ? nowMs : Date.parse(state.finishedAt)
  const took = state.startedAt === null ? 'not started' : formatDuration(Math.max(0, endMs - Date.parse(state.startedAt)))
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold>{state.projectName}</Text> {state.id} <Status status={state.status} colour={colour} /> {took}
      </Text>
      <Text>
        {state.steps.map(({step, status}) => `${marks[status] ?? ''} ${step}`).join('  ')}
        {state.finishedAt === null ? `  ${Math.round(state.progress)} %` : ''}
      </Text>
      {state.error === null ? null : <Text>{state.error}</Text>}
      {state.services.map(({id, name, status, error}) => (
        <Text key={id} wrap="truncate">
          {'  '}
          {name} <Status status={status} colour={colour} />
          {error === null ? '' : ` ${error}`}
        </Text>
      ))}
      {state.lineCount > state.tail.length ? <Text dimColor>… {state.lineCount - state.tail.length} lines above</Text> : null}
      {state.tail.map((text, index) => (
        <Text key={state.lineCount - state.tail.length + index} wrap="truncate">
          {text}
        </Text>
      ))}
      {hint === undefined ? null : <Text dimColor>{hint}</Text>}
    </Box>
  )
}

function Status({status, colour}: {readonly status: string; readonly colour: boolean}) {
  const found = colours[status]
  return colour && found !== undefined ? <Text color={found}>{status}</Text> : <Text>{status}</Text>
}
