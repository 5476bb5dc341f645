import {compilePattern, type PathPattern} from './path-pattern.js'

/** What a `.dockerignore` says of paths of its folder. */
export interface DockerIgnore {
  /** Whether a path, written with `/` and without `./`, is left out. The last line that fits decides. */
  ignores(path: string): boolean
  /** A line with `!` may take back something below a folder that is left out, so such folders have to be walked. */
  readonly hasExceptions: boolean
}

interface Line {
  readonly isException: boolean
  readonly pattern: PathPattern
}

/**
 * Reads the lines of a `.dockerignore` as Docker does: `#` at the very start is a comment, paths are relative to the folder however they are written, a
 * folder that fits takes all that is in it along, capitals count. Lines given in `defaults` come first, so the file may take them back.
 */
export function parseDockerIgnore(text: string, defaults: readonly string[] = []): DockerIgnore {
  const lines = [...defaults, ...text.replace(/^\uFEFF/, '').split(/\r?\n/)].flatMap(readLine)
  return {
    hasExceptions: lines.some(({isException}) => isException),
    ignores(path) {
      let ignored = false
      for (const {isException, pattern} of lines) {
        // Only a line that would change the answer is worth looking at.
        if (isException === ignored && pattern.fits(path)) ignored = !isException
      }
      return ignored
    },
  }
}

function readLine(text: string): Line[] {
  if (text.startsWith('#')) return []
  const line = text.trim()
  const isException = line.startsWith('!')
  const path = cleanPath(isException ? line.slice(1).trim() : line)
  return path === '' ? [] : [{isException, pattern: compilePattern(path)}]
}

// `./a//b/../c/` is `a/c`. What leads out of the folder can not name anything in it.
function cleanPath(text: string): string {
  const parts: string[] = []
  for (const part of text.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return ''
  }
  return parts.join('/')
}
