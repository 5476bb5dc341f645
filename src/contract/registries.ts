import {z} from 'zod'
import {Instant} from './fields.js'
import {route} from './route.js'

/** As references of images begin: `ghcr.io`, `registry.example.com:5000`; `docker.io` for those that name none. */
export const RegistryHost = z.string().max(255).regex(
  /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:]+\])(?::[1-9]\d{0,4})?$/,
  'HOST or HOST:PORT in lower case, without https:// and without a path',
)

export const Registry = z.object({host: RegistryHost, username: z.string(), createdAt: Instant, updatedAt: Instant})
export type Registry = z.output<typeof Registry>

const printable = (maximum: number) => z.string().min(1).max(maximum).regex(/^[^\p{Cc}]*$/u, 'must not hold control characters')

export const registryRoutes = {
  list: route({
    method: 'GET', path: '/api/registries', summary: 'list the registries that a login is kept for; passwords are never shown', scope: 'settings:read', mutates: false,
    output: z.object({data: z.array(Registry)}),
  }),
  save: route({
    method: 'PUT', path: '/api/registries', summary: 'keep a login for a registry, in place of the one before', scope: 'settings:write', mutates: true,
    description: 'Servers get it with each pull from that registry and with each build, and do not keep it.',
    body: z.strictObject({
      host: RegistryHost,
      username: printable(255).regex(/^[^:]*$/, 'must not hold a colon'),
      password: printable(10_000).describe('a password or an access token'),
    }),
    output: z.object({data: Registry}),
  }),
  remove: route({
    method: 'DELETE', path: '/api/registries/:host', summary: 'forget the login of a registry', scope: 'settings:write', mutates: true,
    params: z.strictObject({host: z.string().max(255)}), output: z.object({success: z.literal(true)}),
  }),
}
