/** One instruction of a Dockerfile, as it is written and in one line. */
interface Instruction {
  readonly keyword: string
  /** What follows the keyword, continued lines joined. */
  readonly rest: string
  readonly text: string
}

export interface InlineOptions {
  /** Folder of the service in the context that all services share. */
  readonly folder: string
  /** Files of the build context that there are. */
  readonly available: readonly string[]
  readonly args: ReadonlyMap<string, string>
  readonly target: string | undefined
}

export interface InlinedDockerfile {
  readonly text: string
  /** Files of the context that it copies. */
  readonly used: readonly string[]
  /** What it copies that is not there. */
  readonly missing: readonly string[]
  /** Arguments that it does not declare. */
  readonly undeclared: readonly string[]
  /** It mounts parts of the context, which stay where they were. */
  readonly mountsContext: boolean
}

/** Moves a Dockerfile into a context in which its files lie in a folder of their own; values of build arguments become their defaults. */
export function inlineDockerfile(text: string, {folder, available, args, target}: InlineOptions): InlinedDockerfile {
  const all = untilTarget(readInstructions(text), target)
  const [used, missing, declared] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const lines = all.map((instruction) => {
    if (instruction.keyword === 'ARG') return withDefaults(instruction, args, declared)
    if (instruction.keyword !== 'COPY' && instruction.keyword !== 'ADD') return instruction.text
    return moveSources(instruction, folder, (source) => {
      const found = filesAt(source, available)
      for (const file of found) used.add(file)
      if (found.length === 0) missing.add(source)
    })
  })
  return {
    text: lines.join(''),
    used: [...used].toSorted(),
    missing: [...missing],
    undeclared: [...args.keys()].filter((name) => !declared.has(name)),
    mountsContext: all.some(({keyword, rest}) => keyword === 'RUN' && /--mount=[^\s]*type=bind(?![^\s]*from=)/.test(rest)),
  }
}

function readInstructions(text: string): Instruction[] {
  const lines = text.split(/(?<=\n)/)
  const instructions: Instruction[] = []
  for (let at = 0; at < lines.length; ) {
    const start = at
    let rest = ''
    // Comments may stand between continued lines.
    for (let isOpen = true; isOpen && at < lines.length; at += 1) {
      const line = lines[at] ?? ''
      const isComment = /^\s*#/.test(line)
      if (!isComment) rest += ` ${line.trim().replace(/\\$/, '')}`
      isOpen = isComment ? at > start : /\\\s*$/.test(line)
    }
    for (const end of heredocsOf(rest)) {
      while (at < lines.length && lines[at]?.trim() !== end) at += 1
      at += 1
    }
    const [, keyword = '', after = ''] = /^\s*([A-Za-z]+)\s*([\s\S]*)$/.exec(rest) ?? []
    instructions.push({keyword: keyword.toUpperCase(), rest: after, text: lines.slice(start, at).join('')})
  }
  return instructions
}

function heredocsOf(line: string): string[] {
  if (!/^\s*(?:RUN|COPY|ADD)\b/i.test(line)) return []
  return [...line.matchAll(/<<-?(["']?)([A-Za-z_][A-Za-z0-9_]*)\1/g)].map((match) => match[2] ?? '')
}

// Later stages are not needed for the one that is wanted.
function untilTarget(all: readonly Instruction[], target: string | undefined): readonly Instruction[] {
  if (target === undefined) return all
  const start = all.findIndex(({keyword, rest}) => keyword === 'FROM' && new RegExp(`\\sAS\\s+${target.replace(/[^\w.-]/g, '')}\\s*$`, 'i').test(rest))
  const next = all.findIndex(({keyword}, index) => index > start && keyword === 'FROM')
  return start === -1 || next === -1 ? all : all.slice(0, next)
}

function withDefaults({rest, text}: Instruction, args: ReadonlyMap<string, string>, declared: Set<string>): string {
  const [, name = ''] = /^([A-Za-z_][A-Za-z0-9_]*)(?:=.*)?$/s.exec(rest.trim()) ?? []
  const value = args.get(name)
  if (value === undefined) return text
  declared.add(name)
  return `ARG ${name}="${value.replace(/[\\"$]/g, '\\$&')}"\n`
}

function moveSources({keyword, rest, text}: Instruction, folder: string, see: (source: string) => void): string {
  const [flags = ''] = /^(?:--\S+\s+)*/.exec(rest) ?? []
  if (/--from=/.test(flags) || /<<-?["']?[A-Za-z_]/.test(rest)) return text
  const after = rest.slice(flags.length).trim()
  const list = parseList(after)
  const words = list ?? after.split(/\s+/)
  const sources = words.slice(0, -1)
  const moved = sources.map((source) => {
    if (/^(?:https?|git|ssh):|^git@/.test(source)) return source
    const inside = source.replace(/^(?:\.?\/)+/, '').replace(/^\.$/, '')
    see(inside.replace(/\/+$/, ''))
    return `${folder}/${inside}`
  })
  const all = [...moved, words.at(-1) ?? '']
  return `${keyword} ${flags}${list === undefined ? all.join(' ') : JSON.stringify(all)}\n`
}

function parseList(text: string): string[] | undefined {
  if (!text.startsWith('[')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every((word) => typeof word === 'string') ? value : undefined
  } catch {
    return undefined
  }
}

function filesAt(source: string, available: readonly string[]): string[] {
  if (source === '') return [...available]
  const pattern = new RegExp(`^${globPattern(source)}(?:/|$)`)
  return available.filter((file) => pattern.test(file))
}

/** A glob of a Dockerfile or of .dockerignore as a regular expression, without its ends. */
export function globPattern(glob: string): string {
  return glob.replace(/\*\*\/?|\*|\?|[.+^${}()|[\]\\]/g, (found) => {
    if (found.startsWith('**')) return found.endsWith('/') ? '(?:.*/)?' : '.*'
    if (found === '*') return '[^/]*'
    return found === '?' ? '[^/]' : `\\${found}`
  })
}
