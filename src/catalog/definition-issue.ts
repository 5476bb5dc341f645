import type {JsonPath} from './json-tree.js'

/** Why a definition is refused. */
export type GateRule =
  | 'missing-key'
  | 'wrong-type'
  | 'bad-value'
  | 'out-of-bounds'
  | 'schema-too-new'
  | 'unknown-service'
  | 'output-source'
  | 'jwt-group'
  | 'flow-href'
  | 'image-or-build'
  | 'provides-output'
  | 'article-both'
  | 'article-path'
  | 'file-path'
  | 'build-path'

export interface DefinitionIssue {
  readonly rule: GateRule
  readonly path: JsonPath
  readonly message: string
  /** What to write instead. */
  readonly suggestion?: string
}
