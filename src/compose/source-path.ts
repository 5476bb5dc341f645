/** A path within the source, `.` for its root; null where it leads out of it, or is absolute. */
export function joinSource(folder: string, path: string): string | null {
  if (path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path) || path.startsWith('~')) return null
  const steps: string[] = []
  for (const step of [...folder.split('/'), ...path.split('/')]) {
    if (step === '' || step === '.') continue
    if (step !== '..') steps.push(step)
    else if (steps.pop() === undefined) return null
  }
  return steps.length === 0 ? '.' : steps.join('/')
}

/** The folder that holds a file of the source. */
export function folderOf(path: string): string {
  return joinSource('.', path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.') ?? '.'
}

/** How a folder leads to a path, both within the source. */
export function relativeTo(folder: string, path: string): string {
  const from = stepsOf(folder)
  const to = stepsOf(path)
  let shared = 0
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) shared += 1
  const steps = [...from.slice(shared).map(() => '..'), ...to.slice(shared)]
  return steps.length === 0 ? '.' : steps.join('/')
}

function stepsOf(path: string): readonly string[] {
  return path === '.' ? [] : path.split('/').filter((step) => step !== '' && step !== '.')
}
