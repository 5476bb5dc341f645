/** Where a path leads once its links are followed. */
export type Followed = {readonly path: string} | {readonly fault: 'leads out' | 'loops'}

// As file systems have it.
const mostLinks = 40

/**
 * Follows a path through the links of a tree as a file system would, one name after another: what `..` means depends on where the link before it led.
 * `targetOf` answers what a link holds, undefined for what is none.
 */
export function followLinks(path: string, targetOf: (path: string) => string | undefined): Followed {
  const waiting = path.split('/').reverse()
  const place: string[] = []
  let linksLeft = mostLinks
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (place.pop() === undefined) return {fault: 'leads out'}
      continue
    }
    const target = targetOf([...place, part].join('/'))
    if (target === undefined) {
      place.push(part)
      continue
    }
    if (target.startsWith('/') || target === '') return {fault: 'leads out'}
    if (linksLeft === 0) return {fault: 'loops'}
    linksLeft -= 1
    waiting.push(...target.split('/').reverse())
  }
  return {path: place.join('/')}
}
