import type {FieldError} from '../../src/contract/faults.js'
import type {JobRecord} from './records.js'

export interface ResolvedParameters {
  /** null for a job that has none. */
  readonly values: Readonly<Record<string, string>> | null
  readonly errors: readonly FieldError[]
}

/** Lays what was given over the defaults of the job's parameters. */
export function resolveParameters(job: Pick<JobRecord, 'parameters'>, given: Readonly<Record<string, string>> = {}): ResolvedParameters {
  const declared = new Map(job.parameters.map((parameter) => [parameter.name, parameter]))
  const errors: FieldError[] = []
  const values: Record<string, string> = {}
  for (const name of Object.keys(given)) {
    if (!declared.has(name)) errors.push({path: `/parameters/${name}`, message: 'is not a parameter of this job'})
  }
  for (const {name, required, default: fallback} of declared.values()) {
    const value = Object.hasOwn(given, name) ? given[name] : fallback
    if (value !== undefined) values[name] = value
    else if (required) errors.push({path: `/parameters/${name}`, message: 'is required'})
  }
  return {values: declared.size === 0 ? null : values, errors}
}
