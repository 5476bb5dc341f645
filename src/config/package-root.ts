import {existsSync} from 'node:fs'
import path from 'node:path'

/** The folder of the package, for what is read from it while running. The same from the sources and from the build, which lies one or two folders deep. */
export function findPackageRoot(from: string = import.meta.dirname): string {
  const parent = path.dirname(from)
  if (existsSync(path.join(from, 'package.json')) || parent === from) return from
  return findPackageRoot(parent)
}
