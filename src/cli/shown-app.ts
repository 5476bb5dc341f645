import type {Readable} from 'node:stream'
import type {Client} from '../client/client.js'
import {Fault} from '../contract/faults.js'
import type {ShownApp} from './app-card.js'
import {readArticleFile} from './article-file.js'
import {readDefinitionFile} from './definition-file.js'
import {getApp} from './get-app.js'

/** An app to look at, from a file or from the catalog of an instance. */
export interface AppSource {
  readonly app: ShownApp
  /** An install that was begun and never deployed. */
  readonly draft: {readonly projectId: string; readonly slug: string; readonly name: string} | null
  /** JSON pointers to keys that are not read. */
  readonly unknownKeys: readonly string[]
  /** Undefined where it has none. */
  readArticle(): Promise<string | undefined>
}

export async function readAppFile(file: string, stdin: Readable, signal: AbortSignal): Promise<AppSource> {
  const {definition, unknownKeys} = await readDefinitionFile(file, stdin, signal)
  const {article, articleFile} = definition.marketplace ?? {}
  const readArticle = () => (articleFile === undefined ? Promise.resolve(article) : readArticleFile(file, articleFile))
  return {app: definition, draft: null, unknownKeys, readArticle}
}

export async function readCatalogApp(id: string, api: Client, signal: AbortSignal): Promise<AppSource> {
  const {data, draft} = await getApp(api, id, signal)
  const hasArticle = data.marketplace?.article !== undefined || data.marketplace?.articleFile !== undefined
  return {app: data, draft, unknownKeys: [], readArticle: () => (hasArticle ? readFromCatalog(id, api, signal) : Promise.resolve(undefined))}
}

// A custom app may name a file that was never uploaded.
async function readFromCatalog(id: string, api: Client, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await api.apps.article({params: {id}}, {signal})).data.markdown
  } catch (error) {
    if (error instanceof Fault && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}
