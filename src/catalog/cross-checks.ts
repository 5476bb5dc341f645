import {posix} from 'node:path'
import {articleFileName} from './article-path.js'
import type {AppDefinition, ConnectionOutput} from './definition.js'
import type {DefinitionIssue, GateRule} from './definition-issue.js'
import {isComplete, type DefinitionView} from './definition-view.js'
import {createGuesser, type Guesser} from '../text/edit-distance.js'
import type {JsonPath} from './json-tree.js'
import {parseOutputSource} from './output-source.js'

/** What only shows when parts of a definition are held against each other, in the order in which it is told. What may lie in a part that is missing is not told. */
export function crossCheck(view: DefinitionView): DefinitionIssue[] {
  const {definition} = view
  const names: ServiceNames = {known: new Set((definition.services ?? []).map(({name}) => name)), guess: createGuesser()}
  const issues = [
    ...checkServiceNames(definition, names),
    ...(definition.connection?.outputs ?? []).flatMap((output, index) => checkOutput(names, output, index)),
    ...checkGroups(definition),
    ...checkFlow(definition),
    ...checkImages(definition),
    ...checkProvides(definition),
    ...checkArticle(definition),
    ...checkPaths(definition),
  ]
  return issues
    .map((issue) => ({...issue, path: view.toGiven(issue.path)}))
    .filter(({rule, path}) => isComplete(view, needs[rule]?.(path) ?? []))
}

// Where what an issue misses could stand.
const needs: Partial<Record<GateRule, (path: JsonPath) => readonly (readonly (string | number)[])[]>> = {
  'unknown-service': () => [['services', '*', 'name']],
  'jwt-group': () => [['configFields', '*', 'generateGroup']],
  'image-or-build': (path) => [[...path, 'image'], [...path, 'build']],
  'provides-output': () => [['connection', 'outputs', '*', 'id']],
}

interface ServiceNames {
  readonly known: ReadonlySet<string>
  readonly guess: Guesser
}

// Without services there is nothing a name could be held against.
function isUnknownService(names: ServiceNames, name: string): boolean {
  return names.known.size > 0 && !names.known.has(name)
}

function checkServiceNames(definition: AppDefinition, names: ServiceNames): DefinitionIssue[] {
  const {configFields = [], prepare = [], endpoints = [], files = [], settings = []} = definition
  const named = [
    ...configFields.map(({service}, index) => ({what: 'configField', service, path: ['configFields', index, 'service']})),
    ...prepare.map(({service}, index) => ({what: 'prepare', service, path: ['prepare', index, 'service']})),
    ...endpoints.map(({service}, index) => ({what: 'endpoint', service, path: ['endpoints', index, 'service']})),
    ...files.map(({service}, index) => ({what: 'file', service, path: ['files', index, 'service']})),
    ...settings.flatMap(({fields}, group) =>
      fields.map(({service}, index) => ({what: 'setting', service, path: ['settings', group, 'fields', index, 'service']})),
    ),
  ]
  return named
    .filter(({service}) => isUnknownService(names, service))
    .map(({what, service, path}) => unknownService(names, {what, service, path}))
}

const mostNames = 10

function unknownService({known, guess}: ServiceNames, {what, service, path}: {what: string; service: string; path: JsonPath}): DefinitionIssue {
  const closest = guess(service, known)
  const advice = closest === undefined ? `the services are ${[...known].slice(0, mostNames).join(', ')}${known.size > mostNames ? ', …' : ''}` : `did you mean "${closest}"?`
  return {rule: 'unknown-service', path, message: `${what} references unknown service "${service}"; ${advice}`, ...(closest !== undefined && {suggestion: closest})}
}

function checkOutput(names: ServiceNames, output: ConnectionOutput, index: number): DefinitionIssue[] {
  const path = ['connection', 'outputs', index]
  const owner = output.service ?? ''
  return [
    ...checkSource(names, {source: output.source, what: 'output', path: [...path, 'source']}),
    ...(owner !== '' && isUnknownService(names, owner)
      ? [unknownService(names, {what: 'output', service: owner, path: [...path, 'service']})]
      : []),
    ...(output.variants ?? []).flatMap(({source}, variant) => checkSource(names, {source, what: 'variant', path: [...path, 'variants', variant, 'source']})),
  ]
}

function checkSource(names: ServiceNames, {source, what, path}: {source: string; what: string; path: JsonPath}): DefinitionIssue[] {
  const parsed = parseOutputSource(source)
  if (parsed === undefined) {
    return [{rule: 'output-source', path, message: `invalid ${what} source "${source}"; write env:<service>:<KEY>, publicUrl:<service>[:<port>] or template:<text>`}]
  }
  if (parsed.kind === 'template' || !isUnknownService(names, parsed.service)) return []
  return [unknownService(names, {what, service: parsed.service, path})]
}

function checkGroups({configFields = []}: AppDefinition): DefinitionIssue[] {
  const groups = new Set(configFields.map(({generateGroup}) => generateGroup))
  return configFields.flatMap(({jwtSecretGroup}, index) =>
    jwtSecretGroup === undefined || groups.has(jwtSecretGroup)
      ? []
      : [{rule: 'jwt-group' as const, path: ['configFields', index, 'jwtSecretGroup'], message: `jwtSecretGroup "${jwtSecretGroup}" has no matching generateGroup`}],
  )
}

// Browsers read //host and /\host as another site.
function checkFlow({flowHref}: AppDefinition): DefinitionIssue[] {
  if (flowHref === undefined || /^\/(?![/\\])[^\s\\]*$/.test(flowHref)) return []
  return [{rule: 'flow-href', path: ['flowHref'], message: 'flowHref must be an internal route starting with one /'}]
}

function checkImages({services = []}: AppDefinition): DefinitionIssue[] {
  return services.flatMap(({name, image = '', build}, index) =>
    (image === '') !== (build === undefined)
      ? []
      : [{rule: 'image-or-build' as const, path: ['services', index], message: `service "${name}" must set exactly one of image or build`}],
  )
}

function checkProvides({provides = [], connection}: AppDefinition): DefinitionIssue[] {
  const outputs = new Set(connection?.outputs.map(({id}) => id))
  return provides.flatMap(({outputRefs}, index) =>
    outputRefs.flatMap((ref, at) =>
      outputs.has(ref) ? [] : [{rule: 'provides-output' as const, path: ['provides', index, 'outputRefs', at], message: `provides references unknown output "${ref}"`}],
    ),
  )
}

function checkArticle({marketplace}: AppDefinition): DefinitionIssue[] {
  const {article, articleFile} = marketplace ?? {}
  const both = article !== undefined && articleFile !== undefined
  const isBad = articleFile !== undefined && articleFileName(articleFile) === undefined
  return [
    ...(both ? [{rule: 'article-both' as const, path: ['marketplace'], message: 'choose one article source: article or articleFile'}] : []),
    ...(isBad ? [{rule: 'article-path' as const, path: ['marketplace', 'articleFile'], message: 'articleFile must have the form articles/<slug>.md'}] : []),
  ]
}

function checkPaths(definition: AppDefinition): DefinitionIssue[] {
  const {files = [], services = []} = definition
  const mounted = [
    ...files.map(({path}, index) => ({path, at: ['files', index, 'path']})),
    ...services.flatMap((service, at) => (service.files ?? []).map(({path}, index) => ({path, at: ['services', at, 'files', index, 'path']}))),
  ]
  const built = services.flatMap(({build}, at) => (build?.files ?? []).map(({path}, index) => ({path, at: ['services', at, 'build', 'files', index, 'path']})))
  return [
    ...mounted
      .filter(({path}) => !isMountPath(path))
      .map(({path, at}) => ({rule: 'file-path' as const, path: at, message: `"${path}" must be an absolute path of a file, without ..`})),
    ...built
      .filter(({path}) => !isInsideFolder(path))
      .map(({path, at}) => ({rule: 'build-path' as const, path: at, message: `"${path}" must stay inside the folder of the service`})),
  ]
}

function isMountPath(path: string): boolean {
  return path.startsWith('/') && !path.endsWith('/') && !path.includes('\0') && !path.split('/').includes('..')
}

function isInsideFolder(path: string): boolean {
  if (path.startsWith('/') || path.includes('\0') || path.includes('\\')) return false
  const normal = posix.normalize(path)
  return normal !== '.' && normal !== '..' && !normal.startsWith('../') && !normal.endsWith('/')
}
