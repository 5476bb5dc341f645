import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {getAppProject} from '../../src/cli/app-project.js'
import {BaseCommand} from '../../src/cli/base-command.js'
import {findByName} from '../../src/cli/install-input.js'
import {parsePairs} from '../../src/cli/pairs.js'
import type {SettingField} from '../../src/catalog/definition.js'
import {valueMask} from '../../src/contract/env-var.js'
import type {Project} from '../../src/contract/project.js'

interface ShownSetting {
  readonly service: string
  readonly key: string
  readonly label: string
  readonly value: string
  readonly set: boolean
  readonly secret: boolean
}

export default class AppsSettings extends BaseCommand<typeof AppsSettings> {
  static override summary = 'show the settings of an installed app, or change them; all of them or none'
  static override description = 'An empty value brings the default back; for a secret it changes nothing. Says whether a restart applies the change or a deployment has to.'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = {set: string({description: 'change a setting', helpValue: 'SERVICE.KEY=VALUE', multiple: true, multipleNonGreedy: true})}
  static override examples = [
    {description: 'what can be set', command: '<%= config.bin %> <%= command.id %> vault'},
    {description: 'change two', command: '<%= config.bin %> <%= command.id %> vault --set server.SIGNUPS_ALLOWED=false --set server.LOG_LEVEL=warn'},
  ]
  static override fieldFlags = {changes: '--set'}

  async run(): Promise<object> {
    const project = await getAppProject(this.api, this.args.project, this.signal)
    const {data} = await this.api.appProjects.settings({params: {id: project.id}}, {signal: this.signal})
    const {set} = this.flags
    if (set !== undefined) return this.#change(project, data.groups.flatMap(({fields}) => fields), parsePairs(set, '--set'))
    const items = data.groups.flatMap(({fields}) => fields.map((field): ShownSetting => shownSetting(field, data.values.find(({service, key}) => service === field.service && key === field.key))))
    this.out.table(
      [
        {heading: 'SETTING', value: ({service, key}) => `${service}.${key}`, whole: true},
        {heading: 'VALUE', value: ({value}) => (value === '' ? null : value)},
        {heading: 'SET', value: (item) => (item.set ? 'yes' : 'default')},
        {heading: 'WHAT', value: ({label}) => label},
      ],
      items,
      `${project.name} has no settings`,
    )
    return {project: project.id, items}
  }

  async #change(project: Project, fields: readonly SettingField[], values: Readonly<Record<string, string>>): Promise<object> {
    const app = {id: project.appTemplateId ?? project.slug, settings: [{id: 'all', label: 'all', fields: [...fields]}]}
    const changes = Object.entries(values).map(([name, value]) => {
      const {service, key} = findByName(app, name)
      return {service, key, value}
    })
    const {data} = await this.api.appProjects.changeSettings({params: {id: project.id}, body: {changes}}, {signal: this.signal})
    this.log(`${data.count} ${data.count === 1 ? 'setting' : 'settings'} of ${project.name} changed`)
    // A restart alone keeps the variables that a container was made with.
    if (data.count > 0) this.out.note(`apply ${data.count === 1 ? 'it' : 'them'} with: ${this.config.bin} deploy ${project.slug}${data.requiresRedeploy ? '' : ' --refresh'}`)
    return {project: project.id, ...data}
  }
}

function shownSetting({service, key, label, secret = false, default: preset = ''}: SettingField, stored: {readonly value: string; readonly set: boolean} | undefined): ShownSetting {
  const isSet = stored?.set === true
  const value = secret ? (isSet ? valueMask : '') : isSet ? stored.value : preset
  return {service, key, label, value, set: isSet, secret}
}
