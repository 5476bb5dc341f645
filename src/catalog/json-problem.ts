import type {JsonPath, Span} from './json-tree.js'

export interface JsonProblem extends Span {
  readonly rule: 'json-syntax' | 'json-comment' | 'json-trailing-comma' | 'json-bom' | 'json-duplicate-key' | 'json-depth' | 'json-size'
  readonly path: JsonPath
  readonly message: string
  /** Mend it without losing anything. */
  readonly edits?: readonly {readonly offset: number; readonly length: number; readonly text: string}[]
}
