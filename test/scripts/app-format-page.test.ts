import {describe, expect, it} from 'vitest'
import {renderAppFormat} from '../../scripts/app-format-page.js'
import {appSchema} from '../../scripts/app-schema.js'
import {rules} from '../../src/catalog/lint/rules.js'

type Json = Record<string, unknown>

const page = renderAppFormat(appSchema())
const sections = new Map(page.split(/^## /m).slice(1).map((text) => [text.split('\n', 1)[0] ?? '', text]))

describe('the page of the format', () => {
  it('has every key of the schema in the table of its place', () => {
    const missing: string[] = []
    const walk = (schema: Json, title: string) => {
      for (const [key, inner] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
        if (sections.get(title)?.includes(`| \`${key}\` |`) !== true) missing.push(`${title}: ${key}`)
        const next = title === 'Top level' ? key : `${title}.${key}`
        walk(inner, next)
        if (typeof inner['items'] === 'object') walk(inner['items'] as Json, next)
      }
    }
    walk(appSchema(), 'Top level')
    expect(missing).toEqual([])
  })

  it('links only to its own headings', () => {
    const anchors = new Set([...sections.keys()].map((title) => title.toLowerCase().replaceAll('.', '').replaceAll(' ', '-')))
    const links = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map((match) => match[1] ?? '')
    expect(links.length).toBeGreaterThan(10)
    expect(links.filter((link) => !anchors.has(link))).toEqual([])
  })

  it('lists every rule with its severity', () => {
    for (const {id, severity} of rules) expect(sections.get('Rules')).toContain(`| \`${id}\` | ${severity} |`)
  })

  it('holds no tag by accident', () => {
    expect(page.replace(/`[^`]*`/g, '')).not.toMatch(/<[a-z]/)
  })
})
