import type {JsonPath, Span} from '../json-tree.js'
import type {LintContext} from './lint-context.js'
import type {Severity} from './finding.js'

/** What a rule has to say, before its place in the file is looked up. */
export interface Problem {
  /** Into the view of the definition. */
  readonly path: JsonPath
  readonly message: string
  /** Whether the key or the value is wrong; the value unless said. */
  readonly part?: 'key' | 'value'
  /** A part of a text value. */
  readonly inside?: Span
  readonly suggestion?: string | undefined
  /** A key that only differs in how it is written, so that it can be mended without asking. */
  readonly renameTo?: string | undefined
}

/** Shown to people, and held by a test: the bad one raises this rule alone, the good one none. */
export interface Example {
  /** Completed to a whole definition. */
  readonly app?: Readonly<Record<string, unknown>>
  /** A file as it stands. */
  readonly text?: string
  /** Several definitions of one folder, each completed. */
  readonly apps?: readonly Readonly<Record<string, unknown>>[]
  readonly fileName?: string
}

export interface Rule {
  readonly id: string
  readonly severity: Severity
  /** What it finds, in a line. */
  readonly meaning: string
  /** What goes wrong otherwise, or what to do. */
  readonly why: string
  readonly bad: Example
  readonly good: Example
  /** What the bad example can not avoid to raise besides. */
  readonly alsoRaises?: readonly string[]
  /** None where the finding is made elsewhere: by the reader of JSON, the gate, or over all files together. */
  readonly check?: (lint: LintContext) => readonly Problem[]
}
