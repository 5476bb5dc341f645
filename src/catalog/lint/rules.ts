import {configFieldRules} from './config-field-rules.js'
import {connectionRules} from './connection-rules.js'
import {endpointRules} from './endpoint-rules.js'
import {engineRules} from './engine-rules.js'
import {envKeyRules} from './env-key-rules.js'
import {fileRules} from './file-rules.js'
import {graphRules} from './graph-rules.js'
import {healthRules} from './health-rules.js'
import {identityRules} from './identity-rules.js'
import {imageRules} from './image-rules.js'
import {keyRules} from './key-rules.js'
import {localizedRules} from './localized-rules.js'
import {patternRules} from './pattern-rules.js'
import {placeholderRules} from './placeholder-rules.js'
import {portRules} from './port-rules.js'
import {prepareRules} from './prepare-rules.js'
import type {Rule} from './rule.js'
import {secretRules} from './secret-rules.js'
import {serviceRules} from './service-rules.js'
import {setRules} from './set-rules.js'
import {settingRules} from './setting-rules.js'
import {shapeRules} from './shape-rules.js'
import {textRules} from './text-rules.js'
import {volumeRules} from './volume-rules.js'

/** Every rule there is, by subject. */
export const rules: readonly Rule[] = [
  ...textRules, ...shapeRules, ...keyRules, ...identityRules, ...engineRules, ...serviceRules, ...imageRules, ...portRules, ...volumeRules, ...healthRules, ...envKeyRules,
  ...placeholderRules, ...configFieldRules, ...secretRules, ...settingRules, ...patternRules, ...connectionRules, ...localizedRules, ...endpointRules, ...prepareRules,
  ...fileRules, ...graphRules, ...setRules,
]

const rulesById: ReadonlyMap<string, Rule> = new Map(rules.map((rule) => [rule.id, rule]))

export function findRule(id: string): Rule | undefined {
  return rulesById.get(id)
}
