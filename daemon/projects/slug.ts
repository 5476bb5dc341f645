/** A name as it goes into hosts, networks and volumes: lower case, digits and inner hyphens, at most 63. */
export function toSlug(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replace(/[^a-z0-9\s_-]/g, '')
  return plain.replace(/[\s_-]+/g, '-').replace(/^-/, '').slice(0, 63).replace(/-$/, '')
}

/** A service name as a label of DNS: what collides after this is the same host on the network of a project. */
export function toHostLabel(name: string): string {
  const label = name.toLowerCase().replace(/[^a-z0-9-]+/g, '-').replace(/^-+|-+$/g, '')
  return label === '' ? 'service' : label
}
