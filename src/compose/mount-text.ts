import type {ComposeMount} from './compose-model.js'

/** Where a mount in short form lies in the container. */
export function mountTarget(text: string): string {
  const parts = text.split(':')
  return parts[1] ?? parts[0] ?? ''
}

export interface MountParts {
  readonly source: string | null
  readonly target: string
  readonly readOnly: boolean
  readonly options: readonly string[]
}

const knownOptions = new Set(['z', 'Z', 'nocopy', 'copy', 'shared', 'slave', 'private', 'rshared', 'rslave', 'rprivate', 'delegated', 'cached', 'consistent'])
// They say what is so anyway, or meant something on a Mac only.
const idleOptions = new Set(['copy', 'delegated', 'cached', 'consistent', 'rprivate'])

/** A mount in short form (`source:target:ro`), or what is wrong with it. */
export function parseMount(text: string): MountParts | string {
  const parts = text.split(':')
  if (parts.length > 3 || /^[A-Za-z]:\\/.test(text)) return `${JSON.stringify(text)} is no mount; write SOURCE:/path, or /path alone`
  const [source, target, flags = ''] = parts.length === 1 ? [null, parts[0] ?? ''] : [parts[0] ?? '', parts[1] ?? '', parts[2]]
  const options = flags.split(',').filter((option) => option !== '' && option !== 'ro' && option !== 'rw')
  const unknown = options.find((option) => !knownOptions.has(option))
  if (unknown !== undefined) return `${unknown} is no option of a mount; there are ro, rw, z, Z and nocopy`
  if (source === '') return `${JSON.stringify(text)} has no source; write SOURCE:/path, or /path alone`
  return {source, target, readOnly: flags.split(',').includes('ro'), options: options.filter((option) => !idleOptions.has(option))}
}

/** A mount in short form, as rows and written files have it. Not for tmpfs, which has no place in it. */
export function formatMount({source, target, readOnly, options = []}: Pick<ComposeMount, 'source' | 'target' | 'readOnly' | 'options'>): string {
  if (source === null) return target
  const flags = [...(readOnly ? ['ro'] : []), ...options]
  return `${source}:${target}${flags.length === 0 ? '' : `:${flags.join(',')}`}`
}

/** An entry of `tmpfs`: a path in the container, with options behind a colon. */
export function parseTmpfs(text: string): ComposeMount {
  const [target = '', flags = ''] = text.split(/:(.*)/s)
  const options = flags.split(',').filter((option) => option !== '')
  return {type: 'tmpfs', source: null, target, readOnly: false, ...(options.length > 0 && {options})}
}

export function formatTmpfs({target, options = []}: ComposeMount): string {
  return options.length === 0 ? target : `${target}:${options.join(',')}`
}
