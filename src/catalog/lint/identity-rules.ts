import type {LintContext} from './lint-context.js'
import {quote} from './quote.js'
import type {Problem, Rule} from './rule.js'

const service = {name: 'web', image: 'ghcr.io/example/paste:1.4.2'}

/** Name, kind and card of an app. */
export const identityRules: readonly Rule[] = [
  {
    id: 'id-filename', severity: 'error', meaning: 'a file that is not named after its id',
    why: 'One file holds one app, and its name without .json is the id. Rename one of the two.',
    bad: {app: {id: 'paste'}, fileName: 'pasties.json'}, good: {app: {id: 'paste'}, fileName: 'paste.json'},
    check: ({definition, fileName, isComplete}) =>
      fileName === undefined || fileName === `${definition.id}.json` || !isComplete('id')
        ? []
        : [{path: ['id'], message: `the id is ${quote(definition.id)} and the file is ${quote(fileName)}; they have to match`, suggestion: fileName.replace(/\.json$/, '')}],
  },
  {
    id: 'id-form', severity: 'warning', meaning: 'an id that is not kebab-case',
    why: 'Ids stand in addresses and file names: lower-case letters and digits, joined by single hyphens.',
    bad: {app: {id: 'Paste_Box'}}, good: {app: {id: 'paste-box'}},
    check: ({definition: {id}, isComplete}) => (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id) || !isComplete('id') ? [] : [{path: ['id'], message: `${quote(id)} is not kebab-case`, suggestion: toSlug(id)}]),
  },
  {
    id: 'blank-text', severity: 'warning', meaning: 'a name, label or description that is empty',
    why: 'People see an empty line where it should stand.',
    bad: {app: {description: ' '}}, good: {app: {description: 'Share text snippets.'}},
    check: findBlankTexts,
  },
  {
    id: 'logo-form', severity: 'warning', meaning: 'a logo that is not an icon id',
    why: 'The logo is the slug of an icon, such as postgresql. Addresses and file names show nothing.',
    bad: {app: {logo: 'https://example.com/logo.svg'}}, good: {app: {logo: 'paste'}},
    check: ({definition: {logo}, isComplete}) =>
      /^[A-Za-z0-9][A-Za-z0-9-]*$/.test(logo) || logo === '' || !isComplete('logo') ? [] : [{path: ['logo'], message: `${quote(logo)} is not the id of an icon; write a slug such as postgresql`}],
  },
  {
    id: 'updated-form', severity: 'warning', meaning: 'an updatedAt that is no instant',
    why: 'It is shown as a date: write ISO 8601, such as 2026-01-05T10:00:00Z.',
    bad: {app: {updatedAt: 'yesterday'}}, good: {app: {updatedAt: '2026-01-05T10:00:00Z'}},
    check: ({definition: {updatedAt}}) =>
      updatedAt === undefined || (/^\d{4}-\d{2}-\d{2}(?:T.+)?$/.test(updatedAt) && !Number.isNaN(Date.parse(updatedAt))) ? [] : [{path: ['updatedAt'], message: `${quote(updatedAt)} is no ISO 8601 time; write one such as 2026-01-05T10:00:00Z`}],
  },
  {
    id: 'flow-without-href', severity: 'error', meaning: 'a flow that leads nowhere',
    why: 'A flow creates nothing itself: it opens the route in flowHref.',
    bad: {app: {kind: 'flow', services: undefined}}, good: {app: {kind: 'flow', services: undefined, flowHref: '/apps/new/paste'}},
    check: ({definition: {kind, flowHref}, isComplete}) => (kind === 'flow' && flowHref === undefined && isComplete('kind', 'flowHref') ? [{path: ['kind'], message: 'a flow needs flowHref, the route it opens'}] : []),
  },
  {
    id: 'flow-services', severity: 'warning', meaning: 'a flow with services',
    why: 'Installing a flow creates nothing, so its services never run. Make it a template, or leave them out.',
    bad: {app: {kind: 'flow', flowHref: '/apps/new/paste', services: [service]}}, good: {app: {kind: 'flow', services: undefined, flowHref: '/apps/new/paste'}},
    check: ({definition: {kind}, services}) => (kind === 'flow' && services.length > 0 ? [{path: ['services'], part: 'key', message: 'the services of a flow are never installed'}] : []),
  },
  {
    id: 'template-without-services', severity: 'error', meaning: 'a template that is available but has no services',
    why: 'There is nothing to install. Add services, or leave available out until there are some.',
    bad: {app: {services: undefined, available: true}}, good: {app: {services: undefined, available: false}},
    check: ({definition: {kind, available}, services, isComplete}) =>
      kind === 'template' && available === true && services.length === 0 && isComplete('services', 'kind') ? [{path: ['available'], message: 'a template without services can not be installed; add services or set available to false'}] : [],
  },
  {
    id: 'not-available', severity: 'info', meaning: 'an app with services that does not say it is available',
    why: 'Without available: true the card says "coming soon" and installing is refused. Say false if that is meant.',
    bad: {app: {available: undefined}}, good: {app: {available: true}},
    check: ({definition: {kind, available}, services, isComplete}) =>
      kind === 'template' && available === undefined && services.length > 0 && isComplete('available') ? [{path: [], message: 'without available: true the app is shown as coming soon'}] : [],
  },
  {
    id: 'management-href', severity: 'warning', meaning: 'a management page outside the site',
    why: 'It is a route of the web interface and starts with one /.',
    bad: {app: {management: {kind: 'custom', href: 'https://example.com'}}}, good: {app: {management: {kind: 'custom', href: '/apps/paste'}}},
    check: ({definition: {management}}) => (management?.kind !== 'custom' || /^\/(?![/\\])/.test(management.href) ? [] : [{path: ['management', 'href'], message: 'write a route of the web interface, starting with one /'}]),
  },
]

function toSlug(id: string): string | undefined {
  return id.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || undefined
}

function findBlankTexts({definition, configFields, settingFields, isComplete}: LintContext): Problem[] {
  const texts = [
    ...(['name', 'description', 'logo'] as const).filter((key) => isComplete(key)).map((key) => ({text: definition[key], path: [key]})),
    ...[...configFields, ...settingFields].map(({item, path}) => ({text: item.label, path: [...path, 'label']})),
    ...(definition.connection?.outputs ?? []).map(({label}, index) => ({text: label, path: ['connection', 'outputs', index, 'label']})),
    ...(definition.endpoints ?? []).map(({label}, index) => ({text: label, path: ['endpoints', index, 'label']})),
  ]
  return texts.filter(({text}) => text.trim() === '').map(({path}) => ({path, message: `${String(path.at(-1))} is empty; people see it`}))
}
