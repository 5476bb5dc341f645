import type {Client} from '../client/client.js'
import {pickText} from '../catalog/pick-text.js'
import {valueMask} from '../contract/env-var.js'
import {toPrintable, toPrintableLines} from './display-width.js'
import type {Output} from './output.js'

export type ConnectionCard = Awaited<ReturnType<Client['appProjects']['connection']>>['data']

/** A card with the values of secrets masked; those that are not known yet stay empty. */
export function maskCard(card: ConnectionCard): ConnectionCard {
  const hide = (value: string) => (value === '' ? '' : valueMask)
  return {
    ...card,
    outputs: card.outputs.map((output) => !output.secret ? output : {
      ...output, value: hide(output.value), ...(output.variants !== undefined && {variants: output.variants.map((variant) => ({...variant, value: hide(variant.value)}))}),
    }),
  }
}

/** The values of a card as the answer, what people should know of them beside it. */
export function printCard(out: Output, card: ConnectionCard, locale: string): void {
  const text = (localized: Parameters<typeof pickText>[0]) => toPrintable(pickText(localized, locale))
  if (card.title !== undefined) out.note(toPrintable(card.title))
  for (const line of [card.description, pickText(card.guide?.intro, locale)]) if (line !== undefined && line !== '') out.note(toPrintableLines(line))
  out.fields(card.outputs.flatMap(({label, sourceLabel, value, variants = []}) => [
    [variants.length > 0 && sourceLabel !== undefined ? `${toPrintable(label)} (${text(sourceLabel)})` : toPrintable(label), value === '' ? null : value] as const,
    ...variants.map((variant) => [`${toPrintable(label)} (${text(variant.label)})`, variant.value === '' ? null : variant.value] as const),
  ]))
  if (card.outputs.length === 0) out.note('nothing to show: none of its services listens on a port')
  for (const {label, note} of card.outputs) if (note !== undefined) out.note(`${toPrintable(label)}: ${toPrintable(note)}`)
  const hint = text(card.guide?.useHint)
  if (hint !== '') out.note(hint)
}
