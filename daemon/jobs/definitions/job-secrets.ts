import type {JobRecord} from '../records.js'
import type {SettingChange} from './job-settings.js'

/** Seals text at rest; it opens only in the context it was sealed for. */
export interface Sealer {
  seal(text: string, context: string): string
  open(sealed: string, context: string): string
}

/** Binds a sealed value to its job and name, so that it can not be moved to another. */
export function secretContext(jobId: string, name: string): string {
  return `jobs/${jobId}/secrets/${name}`
}

/** Seals a whole map of values for a job. A value that is stored already keeps its sealed form, so that sealing again is no change. */
export function sealSecrets(sealer: Sealer, job: Pick<JobRecord, 'id' | 'secrets'>, values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const stored = Object.hasOwn(job.secrets, name) ? job.secrets[name] : undefined
      const context = secretContext(job.id, name)
      return [name, stored !== undefined && opensTo(sealer, stored, context, value) ? stored : sealer.seal(value, context)]
    }),
  )
}

function opensTo(sealer: Sealer, sealed: string, context: string, value: string): boolean {
  try {
    return sealer.open(sealed, context) === value
  } catch {
    // Sealed with a key that is gone: then it has to be sealed anew.
    return false
  }
}

/** Which secrets were added, changed or removed, by name alone. */
export function diffSecrets(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): SettingChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return names.flatMap((name): SettingChange[] => {
    const field = `secrets.${name}`
    if (!Object.hasOwn(after, name)) return [{field, from: 'set', to: null}]
    if (!Object.hasOwn(before, name)) return [{field, from: null, to: 'set'}]
    return before[name] === after[name] ? [] : [{field, from: 'set', to: 'changed'}]
  })
}
