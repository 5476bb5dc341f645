export type YamlValue = string | number | boolean | readonly YamlValue[] | YamlMap
export interface YamlMap {
  readonly [key: string]: YamlValue
}

/**
 * Writes the part of YAML that programs of both versions of it read alike: to the older, `no` and `12:30` are no texts and U+0085 ends a line.
 * The package that reads YAML for us quotes for one version at a time.
 */
export function toYaml(map: YamlMap): string {
  const lines = mapLines(map)
  return `${lines.length === 0 ? '{}' : lines.join('\n')}\n`
}

function mapLines(map: YamlMap): string[] {
  return Object.entries(map).flatMap(([key, value]) => entryLines(`${scalar(key)}:`, value))
}

function entryLines(start: string, value: YamlValue): string[] {
  if (typeof value !== 'object') return [`${start} ${scalar(value)}`]
  if (isList(value)) return value.length === 0 ? [`${start} []`] : [start, ...listLines(value).map(indent)]
  return Object.keys(value).length === 0 ? [`${start} {}`] : [start, ...mapLines(value).map(indent)]
}

function listLines(list: readonly YamlValue[]): string[] {
  return list.flatMap((item) => {
    if (typeof item !== 'object') return [`- ${scalar(item)}`]
    const lines = isList(item) ? listLines(item) : mapLines(item)
    if (lines.length === 0) return [isList(item) ? '- []' : '- {}']
    return lines.map((line, index) => `${index === 0 ? '-' : ' '} ${line}`)
  })
}

function isList(value: readonly YamlValue[] | YamlMap): value is readonly YamlValue[] {
  return Array.isArray(value)
}

function indent(line: string): string {
  return `  ${line}`
}

const words = /^(?:y|n|yes|no|on|off|true|false|null)$/i
const plain = /^[A-Za-z_/](?:[\w./@-]|:(?=[\w./@-]))*$/

function scalar(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value)
  return plain.test(value) && !words.test(value) && value.length < 100 ? value : quote(value)
}

// JSON escapes are YAML escapes, but YAML has more characters that must be escaped.
function quote(text: string): string {
  return JSON.stringify(text).replace(/[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
