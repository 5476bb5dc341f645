export const severities = ['error', 'warning', 'info'] as const
/** error: refused, or can not run; warning: most likely a mistake; info: worth a look. */
export type Severity = (typeof severities)[number]

/** Puts a text in place of a part of the file. */
export interface Edit {
  readonly offset: number
  readonly length: number
  readonly text: string
}

/** A change that alters only how a thing is written. */
export interface Fix {
  readonly title: string
  readonly edits: readonly Edit[]
}

/** One thing to say about a file. */
export interface Finding {
  readonly file: string
  /** From 1; columns in UTF-16 units; the end is the place after the last one. */
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
  /** JSON pointer; empty for the whole file. */
  readonly path: string
  readonly rule: string
  readonly severity: Severity
  readonly message: string
  /** What to write instead. */
  readonly suggestion?: string
  readonly fix?: Fix
}
