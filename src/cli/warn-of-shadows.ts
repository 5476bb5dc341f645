import type {Link} from '../contract/app-projects.js'
import type {Output} from './output.js'

/** Says which services do not get what a project has of others. */
export function warnOfShadows(out: Output, links: readonly Pick<Link, 'envKey' | 'shadowedBy'>[]): void {
  for (const {envKey, shadowedBy} of links) {
    if (shadowedBy.length > 0) out.warn(`${envKey} does not reach ${shadowedBy.join(', ')}: it is in the environment of the service itself, which wins; take it out there`)
  }
}
