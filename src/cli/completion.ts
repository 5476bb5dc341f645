/** What completion needs of a command. */
export interface CompletedCommand {
  /** With spaces. */
  readonly id: string
  readonly summary: string
  readonly flags: readonly CompletedFlag[]
}

export interface CompletedFlag {
  readonly name: string
  readonly char: string | undefined
  readonly description: string
  /** The values it takes, where they are few. */
  readonly options: readonly string[]
  readonly takesValue: boolean
}

/** Commands of the manifest, by what a program can rely on there. */
export function parseManifest(manifest: unknown): CompletedCommand[] {
  const commands = member(manifest, 'commands')
  return Object.entries(isRecord(commands) ? commands : {})
    .filter(([, command]) => member(command, 'hidden') !== true)
    .map(([id, command]) => ({id: id.replaceAll(':', ' '), summary: text(member(command, 'summary')), flags: parseFlags(member(command, 'flags'))}))
    .sort((a, b) => a.id.localeCompare(b.id))
}

function parseFlags(flags: unknown): CompletedFlag[] {
  return Object.entries(isRecord(flags) ? flags : {}).flatMap(([name, flag]) => {
    if (member(flag, 'hidden') === true) return []
    const options = member(flag, 'options')
    const one = {
      name,
      char: typeof member(flag, 'char') === 'string' ? text(member(flag, 'char')) : undefined,
      description: text(member(flag, 'description') ?? member(flag, 'summary')),
      options: Array.isArray(options) ? options.map(String) : [],
      takesValue: member(flag, 'type') === 'option',
    }
    return member(flag, 'allowNo') === true ? [one, {...one, name: `no-${name}`, char: undefined}] : [one]
  })
}

/** The next words after each group of words: topics and commands. */
export function nextWords(commands: readonly CompletedCommand[]): Map<string, string[]> {
  const next = new Map<string, Set<string>>()
  for (const {id} of commands) {
    const words = id.split(' ')
    for (const [index, word] of words.entries()) {
      const before = words.slice(0, index).join(' ')
      next.set(before, (next.get(before) ?? new Set()).add(word))
    }
  }
  return new Map([...next].map(([before, words]) => [before, [...words].sort()]))
}

function member(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
