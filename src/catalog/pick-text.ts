import type {Localized} from './definition.js'

/** The text in a language: of the exact locale, else of its language, else English, else the first there is. */
export function pickText(localized: Localized | undefined, locale: string): string {
  if (localized === undefined) return ''
  if (typeof localized === 'string') return localized
  const [language = ''] = locale.split('-', 1)
  const found = [locale, language, 'en'].find((name) => Object.hasOwn(localized, name))
  return (found === undefined ? Object.values(localized)[0] : localized[found]) ?? ''
}
