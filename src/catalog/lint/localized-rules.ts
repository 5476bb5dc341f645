import type {Localized} from '../definition.js'
import type {JsonPath} from '../json-tree.js'
import type {LintContext} from './lint-context.js'
import type {Rule} from './rule.js'

const app = (note: Localized) => ({app: {connection: {outputs: [], firstLogin: {note}}}})

/** Texts in several languages. */
export const localizedRules: readonly Rule[] = [
  {
    id: 'localized-fallback', severity: 'warning', meaning: 'a text in several languages without English',
    why: 'People whose language is missing get the English text, and without one whatever comes first.',
    bad: app({de: 'Beim ersten Besuch entsteht das Konto.'}), good: app({en: 'The first visit creates the account.', de: 'Beim ersten Besuch entsteht das Konto.'}),
    check: (lint) =>
      localizedTexts(lint).flatMap(({text, path}) => {
        if ((text['en'] ?? '') !== '') return []
        return [{path, message: Object.keys(text).length === 0 ? 'the text is empty in every language' : 'the text has no en, which everyone else falls back to'}]
      }),
  },
  {
    id: 'localized-locale', severity: 'warning', meaning: 'a key that is no locale code',
    why: 'Locales are looked up by their code, such as de or pt-BR; nothing else is ever found.',
    bad: app({en: 'The first visit creates the account.', German: 'Beim ersten Besuch entsteht das Konto.'}), good: app({en: 'The first visit creates the account.', de: 'Beim ersten Besuch entsteht das Konto.'}),
    check: (lint) =>
      localizedTexts(lint).flatMap(({text, path}) =>
        Object.keys(text)
          .filter((code) => !/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/.test(code))
          .map((code) => ({path: [...path, code], part: 'key' as const, message: `${code} is no locale code; write one such as de or pt-BR`, suggestion: suggestLocale(code)})),
      ),
  },
]

function suggestLocale(code: string): string | undefined {
  const [, language, region] = /^([A-Za-z]{2,3})[_-]([A-Za-z]{2})$/.exec(code) ?? []
  return language === undefined || region === undefined ? undefined : `${language.toLowerCase()}-${region.toUpperCase()}`
}

/** Every text in several languages; most are in one. */
function localizedTexts({definition: {prepare = [], requires = [], connection}}: LintContext): {text: Readonly<Record<string, string>>; path: JsonPath}[] {
  const {firstLogin = {}, guide = {}, outputs = []} = connection ?? {}
  const all: {text: Localized | undefined; path: JsonPath}[] = [
    ...prepare.flatMap(({title, description}, index) => [{text: title, path: ['prepare', index, 'title']}, {text: description, path: ['prepare', index, 'description']}]),
    ...requires.map(({label}, index) => ({text: label, path: ['requires', index, 'label']})),
    ...(['username', 'password', 'note'] as const).map((key) => ({text: firstLogin[key], path: ['connection', 'firstLogin', key]})),
    ...(['intro', 'useHint'] as const).map((key) => ({text: guide[key], path: ['connection', 'guide', key]})),
    ...outputs.flatMap(({sourceLabel, variants = []}, index) => [
      {text: sourceLabel, path: ['connection', 'outputs', index, 'sourceLabel']},
      ...variants.map(({label}, variant) => ({text: label, path: ['connection', 'outputs', index, 'variants', variant, 'label']})),
    ]),
  ]
  return all.flatMap(({text, path}) => (text === undefined || typeof text === 'string' ? [] : [{text, path}]))
}
