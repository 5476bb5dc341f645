import {afterAll, beforeAll} from 'vitest'

/** A real part that the tests of a file or a `describe` share: there before the first, ended after the last, later ones first. Only tests and hooks may look at it. */
export function sharedPart<P extends object>(start: () => P | Promise<P>): P {
  let started: P | undefined
  beforeAll(async () => {
    started = await start()
  }, 120_000)
  afterAll(async () => {
    if (started !== undefined) await end(started)
  })
  // It stands for the part before there is one, so that tests name it as if it had always been there.
  return new Proxy({} as P, {
    get(_, key) {
      if (started === undefined) throw new Error(`the shared part is asked for ${String(key)} before it is there`)
      return Reflect.get(started, key)
    },
  })
}

// What has neither ends with the part it came from.
async function end(part: {stop?(): unknown; close?(): unknown}): Promise<void> {
  await (part.stop ?? part.close)?.call(part)
}
