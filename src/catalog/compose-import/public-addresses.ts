import type {DraftEntry, DraftService} from './draft-service.js'
import type {ImportContext} from './import-context.js'
import {resolveParts} from './interpolation.js'
import {wordsOf} from './secret-names.js'

/** A public port of the app, as the Compose file published it. */
interface Address {
  readonly service: string
  readonly port: number
  readonly isMain: boolean
  readonly hostPort: number | null
}

function addressesOf(services: readonly DraftService[]): Address[] {
  return services.flatMap(({name, mappings, web}) =>
    web.flatMap((port, index) => {
      const published = mappings.filter(({containerPort}) => containerPort === port)
      const at = {service: name, port, isMain: index === 0}
      return published.length === 0 ? [{...at, hostPort: null}] : published.map(({hostPort}) => ({...at, hostPort}))
    }),
  )
}

const publicUrl = ({service, port, isMain}: Address) => `{{publicUrl:${service}${isMain ? '' : `:${port}`}}}`

/** Writes the address at which people reach the app as {{publicUrl:…}}, wherever the environment holds it. */
export function placeAddresses(services: readonly DraftService[], context: ImportContext): DraftService[] {
  const addresses = addressesOf(services)
  return services.map((service) => ({...service, environment: service.environment.map((entry) => placeAddress(entry, {service, addresses, services}, context))}))
}

interface Place {
  readonly service: DraftService
  readonly addresses: readonly Address[]
  readonly services: readonly DraftService[]
}

function placeAddress(entry: DraftEntry, place: Place, context: ImportContext): DraftEntry {
  const {text, missing} = resolveParts(entry.parts, context.variables)
  const own = place.addresses.find(({service, isMain}) => service === place.service.name && isMain) ?? place.addresses.find(({isMain}) => isMain)
  if (own === undefined) return entry
  const local = missing.length === 0 ? placeLocal(text, place.addresses) : text
  const named = local === text && isAddressKey(entry.key) ? placeNamed(text, own, place.services) : local
  if (named === text) return entry
  const why = `${entry.key}, ${JSON.stringify(text)}, is the address of the app and became ${named}`
  context.notes.add({level: 'changed', service: place.service.name, key: 'environment', why, todo: 'check that it means the address in a browser'})
  return {key: entry.key, parts: [named]}
}

// A published port of this machine can only mean the app, seen from outside; a port that is the same inside might mean the container itself.
function placeLocal(text: string, addresses: readonly Address[]): string {
  return text.replace(/https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::(\d+))?(?=[/,;\s]|$)/g, (found, given: string | undefined) => {
    const hostPort = given === undefined ? (found.startsWith('https') ? 443 : 80) : Number(given)
    const address = addresses.find((candidate) => candidate.hostPort === hostPort)
    return address === undefined ? found : publicUrl(address)
  })
}

const addressWords = new Set(['base', 'site', 'public', 'app', 'root', 'external', 'nextauth', 'webhook', 'server', 'frontend', 'web', 'instance', 'canonical', 'home', 'auth', 'cors', 'host', 'origin'])

/** BASE_URL, SITE_URL, ORIGIN, url …: what applications call their own address. */
function isAddressKey(key: string): boolean {
  const words = wordsOf(key)
  const last = words.at(-1) ?? ''
  if (last !== 'url' && last !== 'origin' && last !== 'origins') return false
  return words.length === 1 || last === 'origin' || addressWords.has(words.at(-2) ?? '')
}

function placeNamed(text: string, own: Address, services: readonly DraftService[]): string {
  if (text === '') return publicUrl(own)
  const [, host = '', rest = ''] = /^https?:\/\/([^/\s,:]*)(?::\d+)?(\/[^\s,]*)?$/.exec(text) ?? []
  const isInside = services.some(({name, aliases}) => name === host || aliases.includes(host)) || (host !== '' && !host.includes('.') && host !== 'localhost')
  const isAddress = /^https?:\/\/[^/\s,]*(?:\/[^\s,]*)?$/.test(text)
  return isAddress && !isInside ? `${publicUrl(own)}${rest === '/' ? '' : rest}` : text
}
