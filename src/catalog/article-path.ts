/** The name of the file that `articles/<slug>.md` means; undefined where it has another form, as nothing else may be read. */
export function articleFileName(articleFile: string): string | undefined {
  return /^articles\/([a-z0-9][a-z0-9-]*\.md)$/.exec(articleFile)?.[1]
}
