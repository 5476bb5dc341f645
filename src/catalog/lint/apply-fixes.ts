import type {Edit, Finding} from './finding.js'

export interface Mended {
  readonly text: string
  /** What was mended, as it was found. */
  readonly findings: readonly Finding[]
}

const mostRounds = 10

/**
 * Applies every fix that makes nothing worse: after each step the text is checked again, and a fix that brings up an error that was not there is left to people.
 * All else stays as it is written.
 */
export function applyFixes(text: string, check: (text: string) => readonly Finding[], isWanted: (finding: Finding) => boolean = () => true): Mended {
  let now = text
  let found = check(now)
  const mended: Finding[] = []
  const refused = new Set<string>()
  for (let round = 0; round < mostRounds; round += 1) {
    const open = found.filter((finding) => finding.fix !== undefined && isWanted(finding) && !refused.has(nameOf(finding)))
    if (open.length === 0) break
    const step = tryAll(now, found, open, check) ?? tryEach(now, found, open, check)
    for (const finding of open) if (!step.mended.includes(finding) && step.tried.includes(finding)) refused.add(nameOf(finding))
    mended.push(...step.mended)
    now = step.text
    found = step.found
  }
  return {text: now, findings: mended}
}

interface Step {
  readonly text: string
  readonly found: readonly Finding[]
  readonly mended: readonly Finding[]
  readonly tried: readonly Finding[]
}

function tryAll(text: string, found: readonly Finding[], open: readonly Finding[], check: (text: string) => readonly Finding[]): Step | undefined {
  const chosen = withoutOverlap(open)
  const next = applyEdits(text, chosen.flatMap(({fix}) => fix?.edits ?? []))
  const after = check(next)
  return isWorse(found, after) ? undefined : {text: next, found: after, mended: chosen, tried: chosen}
}

// The first that does no harm; the others get their turn in the next round, as their places have moved.
function tryEach(text: string, found: readonly Finding[], open: readonly Finding[], check: (text: string) => readonly Finding[]): Step {
  const tried: Finding[] = []
  for (const finding of open) {
    tried.push(finding)
    const next = applyEdits(text, finding.fix?.edits ?? [])
    const after = check(next)
    if (!isWorse(found, after)) return {text: next, found: after, mended: [finding], tried}
  }
  return {text, found, mended: [], tried}
}

// An error that was not there, or a key that now is there twice.
function isWorse(before: readonly Finding[], after: readonly Finding[]): boolean {
  const counts = (findings: readonly Finding[]): Map<string, number> => {
    const found = new Map<string, number>()
    for (const {severity, rule} of findings) if (severity === 'error' || rule === 'json-duplicate-key') found.set(rule, (found.get(rule) ?? 0) + 1)
    return found
  }
  const known = counts(before)
  return [...counts(after)].some(([rule, count]) => count > (known.get(rule) ?? 0))
}

function withoutOverlap(findings: readonly Finding[]): Finding[] {
  let end = 0
  const sorted = findings.toSorted((a, b) => startOf(a) - startOf(b))
  return sorted.filter((finding) => {
    if (startOf(finding) < end) return false
    end = Math.max(...(finding.fix?.edits ?? []).map(({offset, length}) => offset + length))
    return true
  })
}

function startOf({fix}: Finding): number {
  return Math.min(...(fix?.edits ?? []).map(({offset}) => offset))
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = text
  for (const {offset, length, text: put} of edits.toSorted((a, b) => b.offset - a.offset)) result = result.slice(0, offset) + put + result.slice(offset + length)
  return result
}

function nameOf({rule, path, message}: Finding): string {
  return `${rule}\0${path}\0${message}`
}
