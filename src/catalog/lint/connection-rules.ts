import type {ConnectionOutput} from '../definition.js'
import type {JsonPath, Span} from '../json-tree.js'
import {parseOutputSource} from '../output-source.js'
import {findPlaceholders} from '../placeholders.js'
import type {LintContext} from './lint-context.js'
import {sourcesOf} from './placeholder-rules.js'
import {findRepeats} from './repeats.js'
import type {Problem, Rule} from './rule.js'
import {sourceParts} from './value-sources.js'

const key = {key: 'PASTE_KEY', service: 'web', label: 'Key', generate: 'secret', secret: true}
const output = {id: 'key', label: 'Key', source: 'env:web:PASTE_KEY', secret: true}
const app = (out: object) => ({app: {configFields: [key], connection: {outputs: [out]}}})

/** The card that says how to reach an installed app. */
export const connectionRules: readonly Rule[] = [
  {
    id: 'output-env-unknown', severity: 'warning', meaning: 'an output of an environment value that nothing sets',
    why: 'The output stays empty. The value has to come from environment, a config field, a setting or a prepare step of that service; what only the image sets is not known.',
    bad: app({...output, source: 'env:web:PASTE_KEYS'}), good: app(output),
    check: findUnresolved,
  },
  {
    id: 'output-secret-unmasked', severity: 'warning', meaning: 'an output that shows a secret',
    why: 'Its value holds a secret, so it has to be hidden until asked for: add secret: true.',
    bad: app({...output, secret: undefined}), good: app(output),
    check: findUnmasked,
  },
  {
    id: 'template-output-no-service', severity: 'info', meaning: 'a template output that names no service',
    why: 'Handed to another project, its address is rewritten by the port alone. Say which service it belongs to.',
    bad: app({id: 'url', label: 'Address', source: 'template:http://web:8090'}), good: app({id: 'url', label: 'Address', source: 'template:http://web:8090', service: 'web'}),
    check: ({definition: {connection}}) =>
      (connection?.outputs ?? []).flatMap(({source, service}, index) => ((service ?? '') === '' && parseOutputSource(source)?.kind === 'template' ? [{path: ['connection', 'outputs', index, 'source'], message: 'a template output should name its service'}] : [])),
  },
  {
    id: 'output-empty', severity: 'warning', meaning: 'a template output without text',
    why: 'It is always empty.',
    bad: app({id: 'url', label: 'Address', source: 'template:', service: 'web'}), good: app({id: 'url', label: 'Address', source: 'template:http://web:8090', service: 'web'}),
    check: (lint) => eachSource(lint).filter(({source}) => source.trim() === 'template:').map(({path}) => ({path, message: 'the template is empty'})),
  },
  {
    id: 'variant-duplicate', severity: 'error', meaning: 'two variants of one id',
    why: 'Only one of them can be chosen.',
    bad: app({...output, variants: [{id: 'a', label: 'A', source: 'env:web:PASTE_KEY'}, {id: 'a', label: 'B', source: 'env:web:PASTE_KEY'}]}),
    good: app({...output, variants: [{id: 'a', label: 'A', source: 'env:web:PASTE_KEY'}]}),
    check: ({definition: {connection}}) =>
      (connection?.outputs ?? []).flatMap(({variants = []}, index) =>
        findRepeats(variants, ({id}) => id).map(({item, index: at}) => ({path: ['connection', 'outputs', index, 'variants', at, 'id'], message: `the variant ${item.id} is there already`})),
      ),
  },
]

interface PlacedSource {
  readonly output: ConnectionOutput
  readonly source: string
  readonly path: JsonPath
}

function eachSource({definition: {connection}}: LintContext): PlacedSource[] {
  return (connection?.outputs ?? []).flatMap((output, index) => sourcesOf(output, ['connection', 'outputs', index]).map((source) => ({output, ...source})))
}

interface Reference {
  readonly service: string
  readonly key: string
  readonly inside?: Span
}

// The offset of a template's text is that of the text after its first word.
const templateStart = 'template:'.length

function referencesOf(source: string): Reference[] {
  const read = parseOutputSource(source)
  if (read?.kind === 'env') return [{service: read.service, key: read.key}]
  if (read?.kind !== 'template') return []
  return findPlaceholders(read.text).flatMap((part) => (part.kind === 'env' ? [{service: part.service, key: part.key, inside: {offset: part.offset + templateStart, length: part.text.length}}] : []))
}

function findUnresolved(lint: LintContext): Problem[] {
  if (!lint.isComplete(...sourceParts)) return []
  return eachSource(lint).flatMap(({source, path}) =>
    referencesOf(source).flatMap(({service, key, inside}) => {
      const keys = lint.sources.get(service)
      const isDeclared = lint.findService(service) !== undefined
      // The gate has said that of plain sources already.
      if (keys?.has(key) === true || (!isDeclared && inside === undefined)) return []
      const closest = isDeclared ? lint.findClosest(key, keys?.keys() ?? []) : lint.findClosest(service, lint.serviceNames)
      const what = isDeclared ? `nothing gives ${service} a value for ${key}` : `there is no service ${service}`
      return [{path, message: `${what}, so this output stays empty${closest === undefined ? '' : `; did you mean ${closest}?`}`, suggestion: closest, ...(inside !== undefined && {inside})}]
    }),
  )
}

function findUnmasked(lint: LintContext): Problem[] {
  if (!lint.isComplete('connection.outputs.*.secret')) return []
  const secretFields = new Set(lint.configFields.filter(({item}) => item.secret === true).map(({item}) => item.key))
  const told = new Set<ConnectionOutput>()
  return eachSource(lint).flatMap(({output, source, path}) => {
    if (output.secret === true || told.has(output)) return []
    const fromEnvironment = referencesOf(source).find(({service, key}) => lint.sources.get(service)?.get(key)?.isSecret === true)
    const read = parseOutputSource(source)
    const inlined = read?.kind === 'template' ? findPlaceholders(read.text).find((part) => part.kind === 'config' && secretFields.has(part.key)) : undefined
    const name = fromEnvironment?.key ?? (inlined?.kind === 'config' ? inlined.key : undefined)
    if (name === undefined) return []
    told.add(output)
    return [{path, message: `the output ${output.id} shows the secret ${name}; add secret: true`}]
  })
}
