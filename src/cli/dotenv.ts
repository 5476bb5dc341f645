/** One line of a file of variables; undefined where programs that read such files would not agree on the value. */
export function toDotenvLine(name: string, value: string): string | undefined {
  if (/^[\w.:/+=@%,~^-]*$/.test(value)) return `${name}=${value}`
  return /['\\\p{Control}]/u.test(value) ? undefined : `${name}='${value}'`
}

/** The variables of such a file, as far as they are written the way we write them. Of two lines the last counts. */
export function parseDotenv(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const [, name, rest = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(line) ?? []
    if (name !== undefined) values.set(name, unquote(rest))
  }
  return values
}

function unquote(text: string): string {
  const [, single, double] = /^(?:'([^']*)'|"([^"\\]*)")/.exec(text) ?? []
  return single ?? double ?? text.replace(/(?:^|\s+)#.*$/, '').trim()
}
