import type {RenderedApp, RenderedFile} from './render-app.js'

/** Folders beside the Compose file. */
export const mountFolder = 'files'
export const contextFolder = 'build'

/** A name for each service that Compose takes: the same as far as its characters go. */
export function composeNames(services: readonly {readonly name: string}[]): ReadonlyMap<string, string> {
  return distinctNames(services.map(({name}) => name), (name) => name.replace(/[^A-Za-z0-9._-]+/g, '-') || 'service')
}

/** Where the files of an app stand beside the Compose file: a folder for each service, and in it the path inside the container. */
export function mountPaths(files: readonly Pick<RenderedFile, 'service' | 'path'>[]): ReadonlyMap<Pick<RenderedFile, 'service' | 'path'>, string> {
  const services = [...new Set(files.map(({service}) => service))]
  const folders = distinctNames(services, mountName)
  return new Map(files.map((file) => [file, [mountFolder, folders.get(file.service), ...pathParts(file.path)].join('/')]))
}

/** Folder of a service on the machine that runs it; no name leads out of the folder that it is in. */
export function mountName(service: string): string {
  const name = service.replace(/[^A-Za-z0-9._-]/g, '_')
  return /^\.*$/.test(name) ? name.replaceAll('.', '_') || '_' : name
}

function pathParts(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.')
}

function distinctNames(names: readonly string[], toName: (name: string) => string): ReadonlyMap<string, string> {
  const given = new Map<string, string>()
  const used = new Set<string>()
  for (const name of names) {
    let free = toName(name)
    // Case counts as none, as it does for some file systems.
    for (let number = 2; used.has(free.toLowerCase()); number += 1) free = `${toName(name)}-${number}`
    used.add(free.toLowerCase())
    given.set(name, free)
  }
  return given
}

/** Whether a Compose file needs others beside it. */
export function needsFolder(app: Pick<RenderedApp, 'files' | 'services'>): boolean {
  return app.files.length > 0 || app.services.some(({build}) => build !== null)
}
