/** One pattern of a `.dockerignore`. */
export interface PathPattern {
  /** Whether the path or a folder above it fits. */
  fits(path: string): boolean
}

type Step =
  | {readonly kind: 'character'; readonly character: string}
  /** `?` */
  | {readonly kind: 'any'}
  /** `*`: any run within a name. */
  | {readonly kind: 'run'}
  /** `**` at the end: anything. */
  | {readonly kind: 'rest'}
  /** `**` before more: nothing, or what `inside` takes. */
  | {readonly kind: 'folders'}
  /** Anything that ends with a slash. */
  | {readonly kind: 'inside'}
  | {readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[]}

const hasWildcard = /[*?[\\]/

/** Compiles a pattern without leading slash, `.` and `..`. Matching takes time in proportion to pattern and path, whatever they are. */
export function compilePattern(pattern: string): PathPattern {
  if (!hasWildcard.test(pattern)) return {fits: (path) => path.startsWith(pattern) && (path.length === pattern.length || path[pattern.length] === '/')}
  const anywhere = pattern.startsWith('**') ? pattern.slice(2) : undefined
  // Without a slash after the stars it is the end of a name, as `**.log`.
  if (anywhere !== undefined && !hasWildcard.test(anywhere)) return {fits: (path) => `/${path}/`.includes(`${anywhere}/`)}
  const steps = readSteps([...pattern])
  return {fits: (path) => fitsSteps(steps, path)}
}

function readSteps(characters: readonly string[]): Step[] {
  const steps: Step[] = []
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] ?? ''
    if (character === '*' && characters[index + 1] === '*') {
      index += characters[index + 2] === '/' ? 2 : 1
      steps.push(...(index + 1 >= characters.length ? [{kind: 'rest'} as const] : [{kind: 'folders'} as const, {kind: 'inside'} as const]))
    } else if (character === '*') steps.push({kind: 'run'})
    else if (character === '?') steps.push({kind: 'any'})
    else if (character === '\\' && index + 1 < characters.length) steps.push({kind: 'character', character: characters[(index += 1)] ?? ''})
    else {
      const found = character === '[' ? readClass(characters, index) : undefined
      steps.push(found?.step ?? {kind: 'character', character})
      index = found?.end ?? index
    }
  }
  return steps
}

// A bracket that never closes stands for itself.
function readClass(characters: readonly string[], start: number): {readonly step: Step; readonly end: number} | undefined {
  const negated = characters[start + 1] === '^'
  const ranges: [string, string][] = []
  let index = start + (negated ? 2 : 1)
  const take = () => {
    if (characters[index] === '\\') index += 1
    const character = characters[index]
    index += 1
    return character
  }
  while (characters[index] !== ']' || ranges.length === 0) {
    const from = take()
    if (from === undefined) return undefined
    const isRange = characters[index] === '-' && characters[index + 1] !== ']'
    if (isRange) index += 1
    const to = isRange ? take() : from
    if (to === undefined) return undefined
    ranges.push([from, to])
  }
  return {step: {kind: 'class', negated, ranges}, end: index}
}

// All places in the pattern at once, one character of the path after another: no pattern makes it go back.
function fitsSteps(steps: readonly Step[], path: string): boolean {
  let places = withEmpty(steps, new Set([0]))
  for (const character of path) {
    if (character === '/' && places.has(steps.length)) return true
    const next = new Set<number>()
    for (const place of places) {
      const step = steps[place]
      if (step === undefined) continue
      if (step.kind === 'rest' || step.kind === 'inside' || (step.kind === 'run' && character !== '/')) next.add(place)
      if (takes(step, character)) next.add(place + 1)
    }
    if (next.size === 0) return false
    places = withEmpty(steps, next)
  }
  return places.has(steps.length)
}

// Adds the places that are reached without taking a character.
function withEmpty(steps: readonly Step[], places: Set<number>): Set<number> {
  for (const place of places) {
    const kind = steps[place]?.kind
    if (kind === 'run' || kind === 'rest' || kind === 'folders') places.add(place + 1)
    if (kind === 'folders') places.add(place + 2)
  }
  return places
}

function takes(step: Step, character: string): boolean {
  switch (step.kind) {
    case 'character':
      return step.character === character
    case 'any':
      return character !== '/'
    case 'inside':
      return character === '/'
    case 'class':
      return character !== '/' && step.ranges.some(([from, to]) => from <= character && character <= to) !== step.negated
    case 'run':
    case 'rest':
    case 'folders':
      return false
  }
}
