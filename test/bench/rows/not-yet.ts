import type {Row} from '../measure.js'

export const appsValidate: Row = {
  name: 'apps-validate',
  measure: async () => [{row: 'apps validate of 1,000 definitions', missing: 'there are no app definitions yet'}],
}
