import type {Example} from './rule.js'

/** A definition that nothing can be said about. Examples are put on top of it. */
export const exampleApp = {
  id: 'paste-box',
  name: 'Paste Box',
  description: 'Share text snippets.',
  kind: 'template',
  logo: 'paste',
  category: 'other',
  available: true,
  services: [{name: 'web', image: 'ghcr.io/example/paste:1.4.2', exposed: true, exposedPort: 8090}],
} as const

/** The text of an example as a whole file, or files; none where text can not show what it is about. */
export function completeExample({app, text, apps}: Example): string[] {
  if (text !== undefined) return [text]
  return (apps ?? (app === undefined ? [] : [app])).map((part) => `${JSON.stringify({...exampleApp, ...part}, null, 2)}\n`)
}

/** An example as it is shown: only what it is about. */
export function showExample({app, text, apps, fileName}: Example): string {
  const shown = text ?? (apps ?? (app === undefined ? [] : [app])).map((part) => JSON.stringify(part, (_, value: unknown) => value ?? null, 2)).join('\n')
  return fileName === undefined ? shown : `${fileName}:\n${shown}`
}
