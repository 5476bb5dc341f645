import type {ComposeService} from './compose-model.js'

/** Keys by which a service shares something of another, beside `depends_on`. */
export const sharingKeys = ['links', 'volumes_from', 'network_mode', 'pid', 'ipc'] as const

/** The services that a value of one of these keys names. */
export function servicesNamedIn(value: unknown): readonly string[] {
  const texts = Array.isArray(value) ? value.map(String) : typeof value === 'string' && value.startsWith('service:') ? [value.slice('service:'.length)] : []
  // A container of somebody else is refused where the file is read.
  return texts.filter((text) => !text.startsWith('container:')).map((text) => text.split(':')[0] ?? '')
}

/** The names of services that can not be without the one that is named. */
export function findDependents(name: string, services: readonly ComposeService[]): string[] {
  const needs = ({dependsOn, others}: ComposeService) => dependsOn.some(({service}) => service === name) || sharingKeys.some((key) => servicesNamedIn(others[key]).includes(name))
  return services.filter((service) => service.name !== name && needs(service)).map((service) => service.name)
}
