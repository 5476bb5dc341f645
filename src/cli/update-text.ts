import type {Client} from '../client/client.js'
import type {Paint} from './colour.js'
import {toPrintable} from './display-width.js'

export type UpdatePlan = Awaited<ReturnType<Client['appProjects']['updatePlan']>>['data']

/** What an update changes, service by service. */
export function updateLines({services, generated}: UpdatePlan, paint: Paint): string[] {
  return [
    ...services.flatMap(({service, change, fields}) => [
      `${paint('heading', toPrintable(service))}: ${change}`,
      ...fields.map(({field, from, to, edited}) => `  ${toPrintable(field)}: ${toPrintable(from ?? '(none)')} -> ${toPrintable(to ?? '(none)')}${edited ? ', edited here and kept' : ''}`),
    ]),
    ...generated.map((name) => `new secret ${toPrintable(name)}`),
  ]
}
