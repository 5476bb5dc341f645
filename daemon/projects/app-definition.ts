import {AppDefinition} from '../../src/catalog/definition.js'
import type {ProjectRecord} from './records.js'

/** The definition that a project was made from, as it was then; undefined for any other project. */
export function definitionOf({appDefinition}: Pick<ProjectRecord, 'appDefinition'>): AppDefinition | undefined {
  return appDefinition === null ? undefined : AppDefinition.parse(JSON.parse(appDefinition))
}
