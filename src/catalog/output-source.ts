/** Where the value of a connection output comes from. */
export type OutputSource =
  | {readonly kind: 'env'; readonly service: string; readonly key: string}
  | {readonly kind: 'publicUrl'; readonly service: string; readonly port: number | undefined}
  | {readonly kind: 'template'; readonly text: string}

/** Reads `env:service:KEY`, `publicUrl:service[:port]` or `template:text`, all on one line; undefined for anything else. */
export function parseOutputSource(source: string): OutputSource | undefined {
  const env = /^env:([^:\n]+):([^:\n]+)$/.exec(source)
  if (env?.[1] !== undefined && env[2] !== undefined) return {kind: 'env', service: env[1], key: env[2]}
  const url = /^publicUrl:([^:\n]+)(?::(\d+))?$/.exec(source)
  if (url?.[1] !== undefined) return {kind: 'publicUrl', service: url[1], port: url[2] === undefined ? undefined : Number(url[2])}
  const template = /^template:(.*)$/.exec(source)
  return template?.[1] === undefined ? undefined : {kind: 'template', text: template[1]}
}
