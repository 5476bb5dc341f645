import {z} from 'zod'
import type {ImageFacts} from './engine.js'

// What `GET /images/NAME/json` and `docker image inspect` answer, as far as we read it.
const Inspected = z.object({
  Id: z.string(),
  RepoDigests: z.array(z.string()).nullish(),
  RepoTags: z.array(z.string()).nullish(),
  Size: z.number().default(0),
  Config: z.object({
    Healthcheck: z.object({Test: z.array(z.string()).nullish()}).nullish(),
    ExposedPorts: z.record(z.string(), z.unknown()).nullish(),
    StopSignal: z.string().nullish(),
    Entrypoint: z.array(z.string()).nullish(),
  }).nullish(),
})

export function toImageFacts(inspected: unknown): ImageFacts {
  const {Id, RepoDigests, RepoTags, Size, Config} = Inspected.parse(inspected)
  const [kind] = Config?.Healthcheck?.Test ?? []
  return {
    id: Id,
    digests: RepoDigests ?? [],
    tags: RepoTags ?? [],
    sizeBytes: Size,
    hasHealthcheck: kind !== undefined && kind !== '' && kind !== 'NONE',
    exposedPorts: toTcpPorts(Object.keys(Config?.ExposedPorts ?? {})),
    stopSignal: Config?.StopSignal || null,
    entrypoint: Config?.Entrypoint?.length ? Config.Entrypoint : null,
  }
}

// `80`, `80/tcp` or `53/udp`.
function toTcpPorts(exposed: readonly string[]): number[] {
  const ports = exposed.flatMap((text) => {
    const [port = '', protocol = 'tcp'] = text.split('/')
    return protocol === 'tcp' && /^\d+$/.test(port) ? [Number(port)] : []
  })
  return [...new Set(ports)].sort((a, b) => a - b)
}
