type Environment = Readonly<Record<string, string>>

/** Where the environment of a service comes from, by who wins: the later, except that a rollback puts its capture last. */
export interface EnvironmentLayers {
  readonly project?: Environment
  /** What a deployment recorded of an earlier one. */
  readonly captured?: Environment
  /** Written in the definition of the service. */
  readonly inline: Environment
  /** Rows of the service: secrets, values of config fields, settings. */
  readonly rows: Environment
  readonly isRollback?: boolean
}

export interface LayeredEnvironment {
  readonly environment: Environment
  /** Keys whose empty inline value did not take the place of another. */
  readonly ignoredEmpty: readonly string[]
}

/** One environment out of its layers. An empty inline value says nothing; an empty row does. */
export function layerEnvironment({project = {}, captured = {}, inline, rows, isRollback = false}: EnvironmentLayers): LayeredEnvironment {
  const below = new Map([...Object.entries(project), ...Object.entries(captured)])
  const ignoredEmpty = Object.keys(inline).filter((key) => inline[key] === '' && (below.get(key) ?? '') !== '')
  const spoken = Object.entries(inline).filter(([key]) => !ignoredEmpty.includes(key))
  const last = isRollback ? Object.entries(captured) : []
  return {environment: Object.fromEntries([...below, ...spoken, ...Object.entries(rows), ...last]), ignoredEmpty}
}
