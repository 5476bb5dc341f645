export interface EnvironmentLayers {
  /** Variables of the whole project. */
  readonly project: Readonly<Record<string, string>>
  /** What the deployment has captured. */
  readonly captured: Readonly<Record<string, string>>
  /** What the service itself says, in its Compose file or here. */
  readonly inline: Readonly<Record<string, string>>
  /** Variables of this service. */
  readonly service: Readonly<Record<string, string>>
}

/**
 * What a container gets. Later layers win: project, captured, inline, service. An empty inline value (`FOO: ${FOO}` with nothing behind it) does not
 * take a value away; an empty variable of the service does. A rollback runs with what its release had, so there the captured layer is last.
 */
export function layerEnvironment(layers: EnvironmentLayers, mode: 'deploy' | 'rollback'): Record<string, string> {
  const {project, captured, inline, service} = layers
  const below = mode === 'deploy' ? {...project, ...captured} : {...project}
  const filled = Object.fromEntries(Object.entries(inline).filter(([key, value]) => value !== '' || (below[key] ?? '') === ''))
  return {...below, ...filled, ...service, ...(mode === 'rollback' && captured)}
}
