import type {Connection} from './definition.js'
import {pickText} from './pick-text.js'
import type {ResolvedConnection, ResolvedOutput} from './resolve-connection.js'

type FirstLogin = NonNullable<Connection['firstLogin']>

export interface LocalizedOutput extends Omit<ResolvedOutput, 'sourceLabel' | 'variants'> {
  readonly sourceLabel?: string
  readonly variants?: readonly {readonly id: string; readonly label: string; readonly value: string}[]
}

/** A connection card in one language. */
export interface LocalizedConnection {
  readonly title: string | null
  readonly description: string | null
  readonly outputs: readonly LocalizedOutput[]
  readonly guide: {readonly intro: string; readonly useHint: string; readonly defaultMode: 'internal' | 'public'} | null
  readonly firstLogin: {readonly username: string; readonly password: string; readonly note: string} | null
}

export function localizeConnection({title, description, outputs, guide}: ResolvedConnection, firstLogin: FirstLogin | undefined, locale: string): LocalizedConnection {
  const text = (value: Parameters<typeof pickText>[0]): string => pickText(value, locale)
  return {
    title: title ?? null,
    description: description ?? null,
    outputs: outputs.map(({sourceLabel, variants, ...output}) => ({
      ...output,
      ...(sourceLabel !== undefined && {sourceLabel: text(sourceLabel)}),
      ...(variants !== undefined && {variants: variants.map(({id, label, value}) => ({id, label: text(label), value}))}),
    })),
    guide: guide === undefined ? null : {intro: text(guide.intro), useHint: text(guide.useHint), defaultMode: guide.defaultMode ?? 'internal'},
    firstLogin: firstLogin === undefined ? null : {username: text(firstLogin.username), password: text(firstLogin.password), note: text(firstLogin.note)},
  }
}
