/** The folder of a service in the build context that all services share. */
export function buildFolder(service: string): string {
  return service.toLowerCase().replace(/[^a-z0-9._-]+/g, '-').replace(/^-+|-+$/g, '') || 'service'
}
