import {readFile} from 'node:fs/promises'
import path from 'node:path'
import {articleFileName} from '../catalog/article-path.js'
import {Fault} from '../contract/faults.js'

/** The article that a definition names, from beside the definition or beside its folder; undefined where there is none. */
export async function readArticleFile(definitionFile: string, articleFile: string): Promise<string | undefined> {
  if (articleFileName(articleFile) === undefined) return undefined
  const folder = definitionFile === '-' ? '.' : path.dirname(definitionFile)
  for (const place of [folder, path.join(folder, '..')]) {
    try {
      return await readFile(path.join(place, articleFile), 'utf8')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw new Fault('USAGE', `can not read ${articleFile}`, {details: {file: articleFile}, cause: error})
    }
  }
  return undefined
}

/** A definition with the text of its article in place of the name of a file, which lies here and nowhere else. */
export async function inlineArticle(definition: unknown, definitionFile: string): Promise<unknown> {
  if (!isObject(definition) || !isObject(definition['marketplace'])) return definition
  const {articleFile, ...marketplace} = definition['marketplace']
  if (typeof articleFile !== 'string' || marketplace['article'] !== undefined) return definition
  const article = await readArticleFile(definitionFile, articleFile)
  return article === undefined ? definition : {...definition, marketplace: {...marketplace, article}}
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
