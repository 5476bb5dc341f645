import type {Service} from './definition.js'

export interface StartStep {
  readonly name: string
  /** What starts before it. Names that are no service, itself and what would close a circle are left out. */
  readonly after: readonly string[]
}

/** The order in which services start: each once, and after what it depends on as far as that is possible. */
export function startOrder(services: readonly Pick<Service, 'name' | 'dependsOn'>[]): StartStep[] {
  const byName = new Map(services.map((service) => [service.name, service]))
  const steps = new Map<string, StartStep>()
  const wantedBy = (name: string): string[] => [...new Set(byName.get(name)?.dependsOn)].filter((other) => byName.has(other))
  for (const first of byName.keys()) {
    if (steps.has(first)) continue
    // A stack of its own: a chain may be longer than calls can nest.
    const stack = [{name: first, open: wantedBy(first).toReversed()}]
    const seen = new Set([first])
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.open.pop()
      if (next === undefined) {
        // What is not placed by now waits for this one.
        steps.set(top.name, {name: top.name, after: wantedBy(top.name).filter((other) => steps.has(other))})
        stack.pop()
      } else if (!steps.has(next) && !seen.has(next)) {
        seen.add(next)
        stack.push({name: next, open: wantedBy(next).toReversed()})
      }
    }
  }
  return [...steps.values()]
}
