import {readFile} from 'node:fs/promises'
import {editDistance} from '../text/edit-distance.js'

/** The ids of all commands, with spaces, from the manifest. */
export async function readCommandIds(root: URL): Promise<string[]> {
  const manifest: unknown = JSON.parse(await readFile(new URL('oclif.manifest.json', root), 'utf8'))
  if (typeof manifest !== 'object' || manifest === null || !('commands' in manifest)) return []
  return Object.keys(manifest.commands ?? {}).map((id) => id.replaceAll(':', ' '))
}

/** Commands close to what was typed, closest first, three at most. */
export function findSimilarCommands(words: readonly string[], ids: readonly string[]): string[] {
  const scored = ids.map((id) => {
    const typed = words.slice(0, id.split(' ').length).join(' ')
    return {id, distance: editDistance(typed, id), limit: Math.max(2, Math.floor(id.length / 3))}
  })
  return scored.filter(({distance, limit}) => distance <= limit).sort((a, b) => a.distance - b.distance || a.id.localeCompare(b.id)).slice(0, 3).map(({id}) => id)
}
