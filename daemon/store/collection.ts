import type {z} from 'zod'

/** What every document has. */
export interface Document {
  readonly id: string
}

export type KeyPart = string | number | boolean | null

/** Finds documents by the values of some of their own fields. */
export interface IndexDefinition {
  readonly fields: readonly string[]
  readonly unique?: boolean
  /** Documents in which one of the fields is null or missing are not in the index. */
  readonly sparse?: boolean
  /** The order of the documents under one key, ascending; ties are settled by id. Default: createdAt where there is one, else id alone. */
  readonly orderBy?: string
}

export interface CollectionSpec<T extends Document, I extends Readonly<Record<string, IndexDefinition>>> {
  readonly name: string
  readonly version: number
  readonly schema: z.ZodType<T>
  readonly indexes: I
  /** `migrations[n]` turns a document of version n-1 into one of version n; pure. */
  readonly migrations?: Migrations
}

export type Migrations = Readonly<Record<number, (document: Record<string, unknown>) => Record<string, unknown>>>

export interface Collection<T extends Document = Document, I extends string = string> {
  readonly name: string
  readonly version: number
  readonly schema: z.ZodType<T>
  readonly indexes: Readonly<Record<I, IndexDefinition>>
  readonly migrations: Migrations
}

/** Declares a collection. Areas keep theirs in records.ts. */
export function defineCollection<T extends Document, const I extends Readonly<Record<string, IndexDefinition>>>(
  spec: CollectionSpec<T, I>,
): Collection<T, Extract<keyof I, string>> {
  return {name: spec.name, version: spec.version, schema: spec.schema, indexes: spec.indexes, migrations: spec.migrations ?? {}}
}

export type DocumentOf<C> = C extends Collection<infer T> ? T : never
