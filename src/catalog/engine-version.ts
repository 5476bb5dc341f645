/** The newest shape of a definition that this release reads. */
export const newestSchemaVersion = 1

/** Keys that an older release would drop without a word, and the first release that knows each. */
export const keyEngines: Readonly<Record<string, string>> = {
  commandArgv: '0.6.6',
  stopGracePeriod: '0.6.6',
  entrypointArgv: '0.9.2',
  files: '1.0.0',
  resources: '1.0.0',
}

/** Three numbers of a version text: a leading v and anything after - or + do not count, what is missing or no number is 0. */
export function parseVersion(text: string): readonly [number, number, number] {
  const [core = ''] = text.trim().replace(/^v/i, '').split(/[-+]/, 1)
  const numbers = core.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : 0))
  return [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0]
}

/** Negative where the first version is older, positive where it is newer. */
export function compareVersions(first: string, second: string): number {
  const [a, b] = [parseVersion(first), parseVersion(second)]
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
}

/** Whether this release may run a definition. A definition that asks for none runs anywhere. */
export function isEngineOk(minEngine: string | undefined, engine: string): boolean {
  return minEngine === undefined || compareVersions(engine, minEngine) >= 0
}
