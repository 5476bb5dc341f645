/** The variables of an `.env` file: `NAME=value`, `export NAME='value'`, quoted values over several lines, comments. Never throws; other lines are skipped. */
export function parseEnvFile(text: string): Map<string, string> {
  const variables = new Map<string, string>()
  const lines = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*(?:=[ \t]*(?:"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|([^\r\n]*)))?[ \t]*(?:#[^\r\n]*)?$/gm
  for (const [, name, double, single, bare] of text.replace(/^\uFEFF/, '').matchAll(lines)) {
    if (name === undefined) continue
    const value = double !== undefined ? unescape(double) : (single ?? bareValue(bare))
    if (value !== undefined) variables.set(name, value)
  }
  return variables
}

function bareValue(text: string | undefined): string | undefined {
  // A comment needs white space before it: a # may stand in a password.
  return text?.replace(/(?:^|\s)#.*$/, '').trim()
}

const escapes: Readonly<Record<string, string>> = {n: '\n', r: '\r', t: '\t'}

function unescape(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, character: string) => escapes[character] ?? character)
}
