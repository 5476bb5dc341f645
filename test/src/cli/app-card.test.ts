import {describe, expect, test} from 'vitest'
import {appCardLines, articleTitle, type ShownApp} from '../../../src/cli/app-card.js'
import {createPaint} from '../../../src/cli/colour.js'
import {fullDefinition} from '../catalog/full-definition.js'

const card = (app: ShownApp, more: {locale?: string; articleTitle?: string} = {}) =>
  appCardLines(app, {paint: createPaint(false), locale: more.locale ?? 'en', articleTitle: more.articleTitle}).join('\n')

describe('the card of an app', () => {
  const full = card(fullDefinition, {articleTitle: 'All about it'})

  test.each([
    'Paste Box (paste-box)\nShare snippets of text.\n',
    '  category          other\n',
    '  tags              text, share\n',
    '  trust             not verified\n',
    '  source            https://github.com/example/paste-box\n',
    '  host should have  512 MB of RAM and 0.5 vCPU\n',
    '  runs on           Moorage 1.0.0 and newer\n',
    '  article           All about it (--article shows it)\n',
    'services\n  web     ghcr.io/example/paste-box:1.4.2\n  db      postgres:17.5-alpine\n  worker  built here\n',
    'asked at the install\n  Owner  text, required, default admin\n  Title  text, required, default Paste. Shown on every page.\n',
    '  Themes         multiselect, one of Light\n',
    '  Mail password  secret\n',
    'generated\n  Database password  POSTGRES_PASSWORD of db\n  API token          API_TOKEN of web\n',
    'how it is reached\n  web:8090  http, public, by domain or port, Web\n',
    'Your Paste Box\n  Address         publicUrl:web, PASTE_URL. For people.\n',
    '  Database        template:postgres://app:{{env:db:POSTGRES_PASSWORD}}@{{host}}/app, secret, also as Internal\n',
    '  first login     Change it.\n',
    'needs from other projects\n  A mail server  SMTP_URL, mail, optional\n',
    'gives to other projects\n  paste  url\n',
    'what it does well\n  Fast  Pages of a few kilobytes.',
  ])('says %j', (text) => {
    expect(full).toContain(text)
  })

  test('of an app that says little is short', () => {
    expect(card({id: 'a', name: 'A', description: 'D.', kind: 'template', logo: 'l', category: 'cms'})).toBe('A (a)\nD.\n\n  category  cms\n  trust     not verified\n  state     coming soon: it can not be installed yet')
  })

  test('says what the catalog knows of it', () => {
    const text = card({...fullDefinition, available: false, unlisted: true, verified: true, hosting: 'experimental', custom: true, requiresUpdate: {minVersion: '9.0.0'}, updateAvailable: true})
    expect(text).toContain('verified: its images come from the project itself, uploaded by this organization, experimental\n')
    expect(text).toContain('  left out of the list, needs Moorage 9.0.0, a newer definition is there')
    expect(card({...fullDefinition, available: false})).toContain('coming soon: it can not be installed yet')
  })

  test('derives the endpoints that are not written', () => {
    expect(card({...fullDefinition, endpoints: undefined})).toContain('  web:8090  http, public\n  web:9000  http, public, web (admin)\n')
  })

  test('never shows the default of a secret', () => {
    const secret = {key: 'K', service: 'web', label: 'Key', default: 'planted', secret: true}
    const text = card({...fullDefinition, configFields: [secret], settings: [{id: 'g', label: 'G', fields: [{...secret, type: 'password', installStep: true}]}]})
    expect(text).not.toContain('planted')
    expect(text).toContain('  Key  secret, has a default\n')
  })

  test('picks the language that was asked for', () => {
    const app = {...fullDefinition, requires: [{id: 'm', label: {en: 'Mail', de: 'Post'}, envKey: 'M'}]}
    expect(card(app, {locale: 'de-AT'})).toContain('  Post  M\n')
  })

  test('can not draw on the terminal', () => {
    expect(card({...fullDefinition, name: 'A\u001B[2J', description: 'B\nC\u0007'})).not.toMatch(/[\u001B\u0007]/)
  })
})

test.each([
  ['# Umami\n\ntext', 'Umami'],
  ['intro\n\n## Second ##\n', 'Second'],
  ['\n---\njust text\n', 'just text'],
  ['', undefined],
])('the title of %j is %j', (markdown, title) => {
  expect(articleTitle(markdown)).toBe(title)
})
