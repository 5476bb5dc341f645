import {endpointsOf, managementOf} from '../../src/catalog/endpoints.js'
import type {CatalogApp, CatalogEntry} from '../../src/contract/apps.js'
import type {CatalogItem} from './judge.js'

/** An app as lists show it. */
export function toEntry({definition, requiresUpdate, updateAvailable}: CatalogItem, custom: boolean): CatalogEntry {
  const {id, name, description, kind, logo, category, tags = [], flowHref, hosting = 'self-hosted', minResources, marketplace, installLayout} = definition
  return {
    id, name, description, kind, logo, category, tags,
    ...(flowHref !== undefined && {flowHref}),
    management: managementOf(definition),
    verified: definition.verified === true,
    hosting,
    ...(minResources !== undefined && {minResources}),
    custom,
    comingSoon: definition.available !== true,
    ...(requiresUpdate !== undefined && {requiresUpdate}),
    ...(updateAvailable !== undefined && {updateAvailable}),
    endpoints: endpointsOf(definition),
    configFields: askedFields(definition),
    ...(marketplace !== undefined && {marketplace}),
    ...(installLayout !== undefined && {installLayout}),
  }
}

// What is generated is nobody's to give.
function askedFields({configFields = []}: CatalogItem['definition']): CatalogEntry['configFields'] {
  return configFields
    .filter(({generate}) => generate === undefined)
    .map(({key, service, label, help, type = 'text', default: preset, required = false}) => ({
      key, service, label, type, required, ...(help !== undefined && {help}), ...(preset !== undefined && {default: preset}),
    }))
}

/** An app with all of its definition that this release reads. */
export function toDetail({definition, requiresUpdate, updateAvailable}: CatalogItem, custom: boolean): CatalogApp {
  return {
    ...definition,
    custom,
    verified: definition.verified === true,
    unlisted: definition.unlisted === true,
    ...(requiresUpdate !== undefined && {requiresUpdate}),
    ...(updateAvailable !== undefined && {updateAvailable}),
  }
}
