import type {RouteSpec} from '../src/contract/route.js'

type Areas = Readonly<Record<string, Readonly<Record<string, RouteSpec>>>>

const heading = `// Generated from src/contract by scripts/generate.ts; do not edit. The client reads this instead of the contract, which would load zod.
import type {ClientRoute} from './client-route.js'

`

/** The text of src/client/route-table.ts. */
export function renderRouteTable(areas: Areas): string {
  const blocks = Object.entries(areas).map(([area, routes]) => {
    const lines = Object.entries(routes).map(([name, route]) => `    ${name}: ${renderRoute(route)},\n`)
    return `  ${area}: {\n${lines.join('')}  },\n`
  })
  return `${heading}export const routeTable: Readonly<Record<string, Readonly<Record<string, ClientRoute>>>> = {\n${blocks.join('')}}\n`
}

function renderRoute(route: RouteSpec): string {
  const stream = route.stream === undefined ? '' : `, stream: '${route.stream}'`
  const bytes = route.streamsBody === true ? ', streamsBody: true' : ''
  const upgrade = route.upgrade === undefined ? '' : `, upgrade: '${route.upgrade}'`
  return `{method: '${route.method}', path: '${route.path}'${stream}${upgrade}${bytes}}`
}
