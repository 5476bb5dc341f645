/** A mount in the short form of Compose. */
export interface RenderedVolume {
  readonly kind: 'named' | 'bind' | 'anonymous'
  /** The name as written, or the path on the host; null for an anonymous one. */
  readonly source: string | null
  readonly target: string
  /** Such as ro; null for none. */
  readonly mode: string | null
  /** What a named volume is really called: each project has its own. */
  readonly realName: string | null
}

/** Reads `NAME:/path[:mode]`, `/host:/path[:mode]` or `/path`; undefined for anything else. */
export function parseVolume(text: string, slug: string): RenderedVolume | undefined {
  const [first = '', target, mode = null, ...rest] = text.trim().split(':')
  if (rest.length > 0 || mode === '') return undefined
  if (target === undefined) return first.startsWith('/') ? {kind: 'anonymous', source: null, target: first, mode: null, realName: null} : undefined
  if (!target.startsWith('/')) return undefined
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(first)) return {kind: 'named', source: first, target, mode, realName: `moorage-${slug}-${first}`}
  return /^(?:\/|\.{1,2}(?:\/|$)|~(?:\/|$))/.test(first) ? {kind: 'bind', source: first, target, mode, realName: null} : undefined
}
