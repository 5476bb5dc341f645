import {readFile} from 'node:fs/promises'
import path from 'node:path'
import {articleFileName} from '../../src/catalog/article-path.js'

/** The files of the catalog that come with the package. */
export interface BundledFiles {
  /** The manifest of all definitions. */
  readManifest(): Promise<string>
  /** An article by its `articles/<slug>.md`; undefined where there is none, or the name is of another form. */
  readArticle(articleFile: string): Promise<string | undefined>
}

/** The folder is asked for when something is read, so that a start does not look for it. */
export function bundledFiles(findFolder: () => string): BundledFiles {
  return {
    readManifest: () => readFile(path.join(findFolder(), 'catalog.json'), 'utf8'),
    async readArticle(articleFile) {
      const name = articleFileName(articleFile)
      if (name === undefined) return undefined
      return readFile(path.join(findFolder(), 'articles', name), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
    },
  }
}
