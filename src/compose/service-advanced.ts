import {z} from 'zod'

const texts = z.array(z.string().max(2000)).max(100)
const condition = z.enum(['service_started', 'service_healthy', 'service_completed_successfully'])
const duration = z.string().max(32)

/** What `advanced` of a service row may hold: all of a Compose service that has no field of its own. */
export const ServiceAdvanced = z
  .strictObject({
    healthcheck: z.strictObject({
      test: z.union([z.string().max(2000), z.array(z.string().max(500)).max(50)]).nullish(),
      interval: duration.nullish(),
      timeout: duration.nullish(),
      startPeriod: duration.nullish(),
      retries: z.int().min(0).max(100).nullish(),
      disable: z.boolean().optional(),
    }),
    entrypoint: texts.describe('exact words; none clears that of the image'),
    alias: z.string().max(63).describe('a second host name on the network of the project'),
    networkMode: z.string().max(200),
    pidMode: z.string().max(200),
    resources: z.strictObject({cpuCores: z.number().positive().optional(), memoryMb: z.number().positive().optional()}),
    readiness: z.unknown(),
    dependsOn: z.record(z.string(), condition).describe('conditions by service; the others have started is enough'),
    labels: z.record(z.string(), z.string()),
    networks: z.record(z.string(), z.strictObject({aliases: z.array(z.string()), others: z.record(z.string(), z.unknown()).optional()})),
    stopGracePeriod: duration,
    buildArgs: z.record(z.string(), z.string()),
    buildTarget: z.string().max(200),
    dockerfileInline: z.string().max(200_000),
    tmpfs: z.array(z.string().max(500)).max(50),
    mounts: z.array(z.strictObject({type: z.enum(['volume', 'bind']), source: z.string().nullable(), target: z.string(), readOnly: z.boolean(), options: z.array(z.string()).optional()})),
    files: z.array(z.strictObject({target: z.string(), content: z.string(), mode: z.string(), isSecret: z.boolean()})),
    compose: z.record(z.string(), z.unknown()).describe('further keys as Compose calls them'),
  })
  .partial()
export type ServiceAdvanced = z.output<typeof ServiceAdvanced>
