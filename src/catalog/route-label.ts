const mainServices: readonly string[] = ['web', 'app', 'frontend']
const longestClamped = 48
const longestLabel = 63

/** A name as part of an address: lower case, words joined by hyphens, at most 100 characters. */
export function slugify(name: string): string {
  return trimHyphens(
    name
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/[\s_]+/g, '-')
      .slice(0, 100),
  )
}

/** A text as a DNS label, as far as its characters go. */
export function normalizeLabel(text: string): string {
  return trimHyphens(text.toLowerCase().replace(/[^a-z0-9-]+/g, '-')) || 'service'
}

/** The label that a public route has unless someone chooses another. Preview and install both ask here, with the slug of the project. */
export function defaultRouteLabel(slug: string, service: string, slugSuffix?: string): string {
  const base = normalizeLabel(slug)
  const full = mainServices.includes(service) ? base : `${base}-${normalizeLabel(service)}`
  const label = clamp(full, longestClamped)
  return slugSuffix === undefined || slugSuffix === '' ? label : clamp(`${label}-${normalizeLabel(slugSuffix)}`, longestLabel)
}

// The hash keeps long labels apart that begin alike.
function clamp(label: string, length: number): string {
  if (label.length <= length) return label
  const hash = fnv1a(label).toString(36).slice(0, 6)
  return `${trimHyphens(label.slice(0, length - hash.length - 1))}-${hash}`
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}

function trimHyphens(text: string): string {
  return text.replace(/^-+|-+$/g, '')
}
