import {replacePlaceholders, type Placeholder} from './placeholders.js'
import type {PublicUrls} from './public-urls.js'

export interface UrlText {
  readonly text: string
  /** Placeholders that name no address. */
  readonly unresolved: readonly string[]
  /** Addresses that work on the host itself only. */
  readonly loopbackBound: readonly string[]
}

/** Puts public addresses in place of {{publicUrl:…}}; where there is none, nothing. Other placeholders stay as they are. */
export function resolvePublicUrls(text: string, urls: PublicUrls): UrlText {
  const unresolved: string[] = []
  const loopbackBound: string[] = []
  const valueOf = (placeholder: Placeholder): string | undefined => {
    if (placeholder.kind !== 'publicUrl') return undefined
    const found = urls.find(placeholder.service, placeholder.port)
    if (found === undefined) unresolved.push(placeholder.text)
    else if (found.isLoopbackBound) loopbackBound.push(found.url)
    return found?.url ?? ''
  }
  return {text: replacePlaceholders(text, valueOf), unresolved, loopbackBound}
}

export interface UrlEnvironment {
  readonly environment: Readonly<Record<string, string>>
  /** Keys left out, as an empty origin breaks an app where a missing one does not. */
  readonly unset: readonly {readonly key: string; readonly placeholders: readonly string[]}[]
  readonly loopbackBound: readonly {readonly key: string; readonly urls: readonly string[]}[]
}

/** The step of a deployment that gives an environment its public addresses. */
export function resolveUrlEnvironment(environment: Readonly<Record<string, string>>, urls: PublicUrls): UrlEnvironment {
  const entries = Object.entries(environment).map(([key, text]) => ({key, ...resolvePublicUrls(text, urls)}))
  return {
    environment: Object.fromEntries(entries.filter(({unresolved}) => unresolved.length === 0).map(({key, text}) => [key, text])),
    unset: entries.filter(({unresolved}) => unresolved.length > 0).map(({key, unresolved}) => ({key, placeholders: unresolved})),
    loopbackBound: entries
      .filter(({unresolved, loopbackBound}) => unresolved.length === 0 && loopbackBound.length > 0)
      .map(({key, loopbackBound}) => ({key, urls: loopbackBound})),
  }
}
