/** A service name as a label of DNS: what is the same after this is the same host on the network of a project. Empty where nothing is left. */
export function toHostLabel(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9-]+/g, '-').replace(/^-+|-+$/g, '')
}
