/** What the COPY and ADD lines of a Dockerfile take from the build context; undefined where that can not be told. */
export function copySources(dockerfile: string): string[] | undefined {
  const lines = dockerfile.replace(/\\[ \t]*\r?\n/g, ' ').split(/\r?\n/)
  const sources: string[] = []
  let heredoc: string | undefined
  for (const line of lines) {
    if (heredoc !== undefined) {
      if (line.trim() === heredoc) heredoc = undefined
      continue
    }
    const [, rest = ''] = /^\s*(?:ONBUILD\s+)?(?:COPY|ADD)\s+(.*)$/i.exec(line) ?? []
    heredoc = /<<-?['"]?(\w+)/.exec(line)?.[1]
    if (rest === '' || /--from=/.test(rest) || heredoc !== undefined) continue
    // From within the context by a mount, or by a name that only the build knows: better to say nothing.
    const words = readWords(rest.replace(/^(?:--\S+\s+)+/, ''))
    if (words === undefined) return undefined
    sources.push(...words.slice(0, -1).filter((word) => !/^[a-z]+:\/\/|^git@/i.test(word)))
  }
  return /RUN\s+--mount=type=bind/i.test(dockerfile) ? undefined : sources
}

function readWords(text: string): string[] | undefined {
  if (!text.startsWith('[')) return text.split(/\s+/).filter((word) => word !== '').map((word) => word.replace(/^["']|["']$/g, ''))
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.map(String) : undefined
  } catch {
    return undefined
  }
}
