import {readJsonText} from '../catalog/json-text.js'
import {inlineArticle} from './article-file.js'
import {checkFiles, type CheckedFile} from './validate/read-definitions.js'
import {findDefinitionFiles} from './validate/definition-files.js'

export interface Bundle {
  /** The manifest, an app a line. */
  readonly text: string
  readonly ids: readonly string[]
  readonly files: readonly CheckedFile[]
}

export interface BundleContext {
  readonly engine: string
  readonly signal: AbortSignal
}

/** Puts the definitions of files and folders into one manifest that an instance can fetch, their articles with them. */
export async function bundleCatalog(paths: readonly string[], {engine, signal}: BundleContext): Promise<Bundle> {
  const found = await findDefinitionFiles(paths)
  const files = await checkFiles(found, {engine, signal, readStdin: () => Promise.resolve(Buffer.alloc(0))})
  const apps = await Promise.all(files.map(({name, text}) => readApp(name, text)))
  const ids = apps.map((app) => (typeof app === 'object' && app !== null && 'id' in app ? String(app.id) : ''))
  return {text: `{"version": 1, "apps": [${apps.map((app) => `\n${JSON.stringify(app)}`).join(',')}\n]}\n`, ids, files}
}

async function readApp(file: string, text: string | undefined): Promise<unknown> {
  const app = await inlineArticle(text === undefined ? null : readJsonText(text).value, file)
  if (typeof app !== 'object' || app === null || !('$schema' in app)) return app ?? null
  // The hint for editors names a neighbour of the file.
  const {$schema: _, ...rest} = app
  return rest
}
