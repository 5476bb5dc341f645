// Our own YAML: the same data gives the same bytes whatever a library does, and every reader of YAML 1.1 and 1.2 takes it alike.

export type YamlData = string | number | boolean | null | readonly YamlData[] | YamlMap
export interface YamlMap {
  readonly [key: string]: YamlData
}

/** A map as YAML, keys in their order. */
export function toYaml(data: Readonly<Record<string, YamlData>>): string {
  return Object.keys(data).length === 0 ? '{}\n' : `${writeMap(data, '').join('\n')}\n`
}

function writeMap(map: Readonly<Record<string, YamlData>>, indent: string): string[] {
  return Object.entries(map).flatMap(([key, value]) => writeValue(`${indent}${writeText(key)}:`, value, indent))
}

function writeValue(head: string, value: YamlData, indent: string): string[] {
  if (isList(value)) return value.length === 0 ? [`${head} []`] : [head, ...writeList(value, `${indent}  `)]
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0 ? [`${head} {}`] : [head, ...writeMap(value, `${indent}  `)]
  return [`${head} ${writeScalar(value)}`]
}

function writeList(list: readonly YamlData[], indent: string): string[] {
  return list.flatMap((item) => {
    if (isList(item)) return writeValue(`${indent}-`, item, `${indent}  `)
    if (typeof item !== 'object' || item === null || Object.keys(item).length === 0) return writeValue(`${indent}-`, item, indent)
    const lines = writeMap(item, `${indent}  `)
    return [`${indent}- ${(lines[0] ?? '').slice(indent.length + 2)}`, ...lines.slice(1)]
  })
}

function isList(value: YamlData): value is readonly YamlData[] {
  return Array.isArray(value)
}

function writeScalar(value: string | number | boolean | null): string {
  return typeof value === 'string' ? writeText(value) : String(value)
}

// The last one is a number to some.
const words = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf|e\d+)$/i

// Without quotes only what is a text beyond doubt: it starts with a letter, slash or underscore and has no mark of YAML.
function writeText(text: string): string {
  if (/^[A-Za-z_/][A-Za-z0-9_./@:-]*$/.test(text) && !text.endsWith(':') && !words.test(text)) return text
  return `"${text.replace(/\p{Surrogate}/gu, '\ufffd').replace(special, escapeCharacter)}"`
}

// What is no printable character of YAML 1.1, its line ends, and the byte order mark. The u flag keeps pairs of surrogates together.
const special = /["\\\0-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/gu

const names: Readonly<Record<string, string>> = {'"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t', '\r': '\\r'}

function escapeCharacter(character: string): string {
  return names[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
