import {wordsOf} from './compose-import/secret-names.js'

/** A kebab-case id made of a name; undefined where nothing of it can be used. */
export function toAppId(name: string): string | undefined {
  const id = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 100).replace(/-+$/, '')
  return id === '' ? undefined : id
}

/** What people read for an id: `paste-box` is Paste Box. */
export function titleOf(id: string): string {
  return id.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
}

const abbreviations = new Set(['api', 'url', 'uri', 'id', 'db', 'jwt', 'smtp', 'http', 'https', 'ssh', 'ssl', 'tls', 's3', 'ip', 'dns', 'oidc', 'ldap', 'sql', 'aws', 'ui', 'cpu', 'tz'])

/** What people read for an environment key: `DB_PASSWORD` is DB password. */
export function labelOf(key: string): string {
  const words = wordsOf(key).map((word) => (abbreviations.has(word) ? word.toUpperCase() : word))
  const text = words.join(' ')
  return text === '' ? key : text.charAt(0).toUpperCase() + text.slice(1)
}
