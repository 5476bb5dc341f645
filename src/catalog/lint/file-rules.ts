import {buildFolder} from '../build-folder.js'
import {filesOf} from '../definition.js'
import type {Service} from '../definition.js'
import type {JsonPath} from '../json-tree.js'
import {copySources} from './dockerfile.js'
import type {LintContext} from './lint-context.js'
import {findRepeats} from './repeats.js'
import type {Problem, Rule} from './rule.js'

const config = {service: 'web', path: '/etc/paste.conf', content: 'title = Paste\n'}
const built = (dockerfile: string, ...paths: string[]) => ({app: {services: [{name: 'web', build: {dockerfile, files: paths.map((path) => ({path, content: 'x\n'}))}}]}})
const good = built('FROM alpine:3.20\nCOPY web/entry.sh /entry.sh\n', 'entry.sh')

/** Files that are mounted, and files of inline builds. */
export const fileRules: readonly Rule[] = [
  {
    id: 'file-nowhere', severity: 'warning', meaning: 'a file that is mounted nowhere',
    why: 'A file is mounted into a service, and there is none to mount it into.',
    bad: {app: {services: undefined, available: false, files: [config]}}, good: {app: {files: [config]}},
    check: ({definition, services, isComplete}) =>
      services.length > 0 || !isComplete('services') ? [] : (definition.files ?? []).map(({service}, index) => ({path: ['files', index, 'service'], message: `there is no service ${service}: the definition has none, so the file is mounted nowhere`})),
  },
  {
    id: 'file-twice', severity: 'error', meaning: 'two files at one path of a service',
    why: 'Only one of them can be mounted there.',
    bad: {app: {files: [config, {...config, content: 'title = Other\n'}]}}, good: {app: {files: [config, {...config, path: '/etc/other.conf'}]}},
    check: findTwice,
  },
  {
    id: 'build-file-unused', severity: 'warning', meaning: 'a build file that no COPY takes',
    why: 'The file is in the build context, but never gets into the image. COPY sources start with the name of the service.',
    bad: built('FROM alpine:3.20\nCOPY web/entry.sh /entry.sh\n', 'entry.sh', 'extra.sh'), good,
    check: ({services}) =>
      services.flatMap(({item, path}) => {
        if (item.build?.files === undefined) return []
        const sources = copySources(item.build.dockerfile)
        const distinct = [...new Set(sources)]
        return item.build.files.flatMap((file, index) =>
          sources === undefined || distinct.some((source) => covers(source, `${buildFolder(item.name)}/${file.path}`)) ? [] : [{path: [...path, 'build', 'files', index, 'path'], message: `no COPY of the Dockerfile takes ${buildFolder(item.name)}/${file.path}`}],
        )
      }),
  },
  {
    id: 'build-copy-prefix', severity: 'warning', meaning: 'a COPY whose source is not in the folder of the service',
    why: 'All builds of a definition share one context with a folder for each service, so every source starts with <service-name>/.',
    bad: built('FROM alpine:3.20\nCOPY web/entry.sh /entry.sh\nCOPY extra.conf /etc/\n', 'entry.sh'), good,
    check: ({services}) => services.flatMap(({item, path}) => foreignSources(item).map((source) => ({path: [...path, 'build', 'dockerfile'], ...insideOf(item, source), message: `COPY ${source} is not in the folder of the service; sources start with ${buildFolder(item.name)}/`, suggestion: `${buildFolder(item.name)}/${source.replace(/^\.?\//, '')}`}))),
  },
  {
    id: 'dockerfile-form', severity: 'warning', meaning: 'a Dockerfile without FROM',
    why: 'Every image starts from another one; use FROM scratch for an empty one.',
    bad: built('COPY web/entry.sh /entry.sh\n', 'entry.sh'), good,
    check: ({services}) => services.filter(({item}) => item.build !== undefined && !/^[ \t]*FROM[ \t]+\S/im.test(item.build.dockerfile)).map(({path}) => ({path: [...path, 'build', 'dockerfile'], message: 'the Dockerfile has no FROM'})),
  },
  {
    id: 'build-folder', severity: 'error', meaning: 'a service whose build has no folder of its own',
    why: 'The folder in the shared build context is called like the service, and . and .. are no names. Rename the service.', alsoRaises: ['name-dns'],
    bad: {app: {services: [{name: '..', build: {dockerfile: 'FROM alpine:3.20\n'}}]}}, good: {app: {services: [{name: 'web', build: {dockerfile: 'FROM alpine:3.20\n'}}]}},
    check: ({services}) =>
      services
        .filter(({item}) => item.build !== undefined && /^\.{1,2}$/.test(buildFolder(item.name)))
        .map(({item, path}) => ({path: [...path, 'name'], message: `a service called ${item.name} has no folder for its build; rename it`})),
  },
]

function findTwice({definition}: LintContext): Problem[] {
  const places: JsonPath[] = [
    ...(definition.files ?? []).map((_, index) => ['files', index]),
    ...(definition.services ?? []).flatMap(({files = []}, at) => files.map((_, index) => ['services', at, 'files', index])),
  ]
  return findRepeats(filesOf(definition), ({service, path}) => `${service}\0${path.replace(/\/+/g, '/')}`).map(({item: {service, path}, index}) => ({
    path: [...(places[index] ?? []), 'path'],
    message: `${path} is mounted into ${service} already`,
  }))
}

function covers(source: string, file: string): boolean {
  const path = source.replace(/^\.?\/+/, '').replace(/\/+$/, '')
  if (path === '' || path === '.' || path === file || file.startsWith(`${path}/`)) return true
  return /[*?[$]/.test(path) && file.startsWith(path.split(/[*?[$]/, 1)[0] ?? '')
}

function foreignSources({name, build}: Service): string[] {
  if (build === undefined) return []
  const folder = buildFolder(name)
  return (copySources(build.dockerfile) ?? []).filter((source) => {
    const path = source.replace(/^\.?\/+/, '')
    return path !== folder && !path.startsWith(`${folder}/`) && !path.startsWith('$') && path !== '.' && path !== ''
  })
}

function insideOf({build}: Service, source: string): Pick<Problem, 'inside'> {
  const offset = build?.dockerfile.indexOf(` ${source}`) ?? -1
  return offset === -1 ? {} : {inside: {offset: offset + 1, length: source.length}}
}
