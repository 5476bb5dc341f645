import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {explainRule, getRule, toRuleDocument} from '../../src/cli/validate/rule-text.js'
import {severities} from '../../src/catalog/lint/finding.js'
import {rules} from '../../src/catalog/lint/rules.js'

export default class AppsRules extends BaseCommand<typeof AppsRules> {
  static override summary = 'list the rules of apps validate, or explain one with a bad and a good example'
  static override args = {id: Args.string({description: 'rule to explain', ignoreStdin: true})}
  static override flags = {severity: string({description: 'list rules of this severity only', options: [...severities], helpValue: 'SEVERITY'})}
  static override examples = [
    {description: 'what can be wrong with a definition', command: '<%= config.bin %> <%= command.id %> --severity error'},
    {description: 'why a finding matters', command: '<%= config.bin %> <%= command.id %> image-unpinned'},
  ]

  run(): Promise<object> {
    if (this.args.id !== undefined) {
      const rule = getRule(this.args.id)
      this.log(explainRule(rule, this.out.paint))
      return Promise.resolve(toRuleDocument(rule))
    }
    const {severity} = this.flags
    const items = rules.filter((rule) => severity === undefined || rule.severity === severity)
    this.out.table(
      [
        {heading: 'RULE', value: (rule) => rule.id, whole: true},
        {heading: 'SEVERITY', value: (rule) => rule.severity},
        {heading: 'FINDS', value: (rule) => rule.meaning, whole: true},
      ],
      items,
      'no rules',
    )
    return Promise.resolve({items: items.map(toRuleDocument)})
  }
}
