import type {RunPlan, RunRecord} from './records.js'

const longestPayloadBytes = 32 * 1024

/** What the command finds in its environment. Later ones win: what the daemon says, the job's variables, the parameters of this run, secrets. */
export function toRunEnvironment(run: RunRecord, plan: RunPlan, secrets: Readonly<Record<string, string>>, attempt: number): Record<string, string> {
  return {
    JOB_TRIGGER: run.trigger,
    JOB_KEY: run.jobKey,
    JOB_RUN_ID: run.id,
    JOB_ATTEMPT: String(attempt),
    ...toEventEnvironment(plan.event),
    ...plan.env,
    ...run.parameters,
    ...secrets,
  }
}

function toEventEnvironment(event: RunPlan['event']): Record<string, string> {
  if (event === null) return {}
  return {
    JOB_EVENT_TYPE: event.type,
    JOB_EVENT_RESOURCE_TYPE: event.resourceType,
    JOB_EVENT_RESOURCE_ID: event.resourceId,
    JOB_EVENT_PAYLOAD: event.payload,
  }
}

/** The payload of an event for an environment variable: JSON without NUL; one that is too large is left out, as half of it would parse as nothing. */
export function toEventPayload(payload: unknown): string {
  const text = JSON.stringify(payload) ?? 'null'
  return Buffer.byteLength(text) <= longestPayloadBytes ? text : JSON.stringify({truncated: true})
}
