import type {TarItem} from '../../../src/tree/tar-stream.js'

export interface InlineDockerfile {
  /** Where it lies in the context. */
  readonly path: string
  readonly text: string
  /** What the context leaves out already; undefined where it has no `.dockerignore`. */
  readonly ignored: string | undefined
}

const ignoreFile = '.dockerignore'

/** Puts a Dockerfile that is no file of the source into a context. The builder takes it away again after reading, so that no COPY sees it. */
export async function* withDockerfile(items: AsyncIterable<TarItem>, {path, text, ignored}: InlineDockerfile): AsyncGenerator<TarItem> {
  yield textItem(path, text)
  // The last pattern wins.
  yield textItem(ignoreFile, `${ignored ?? ignoreFile}\n${path}\n`)
  for await (const item of items) if (item.path !== path && item.path !== ignoreFile) yield item
}

function textItem(path: string, text: string): TarItem {
  const bytes = Buffer.from(text)
  return {
    path, type: 'file', mode: 0o644, size: bytes.length,
    content: async function* () {
      yield bytes
    },
  }
}
