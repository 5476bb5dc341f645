import {BaseCommand} from '../../src/cli/base-command.js'

export default class RegistriesList extends BaseCommand<typeof RegistriesList> {
  static override summary = 'list the registries that a login is kept for; passwords are never shown'
  static override examples = [{description: 'list registries', command: '<%= config.bin %> <%= command.id %>'}]

  async run(): Promise<object> {
    const {data: items} = await this.api.registries.list({}, {signal: this.signal})
    this.out.table(
      [
        {heading: 'REGISTRY', value: (item) => item.host, whole: true},
        {heading: 'USER', value: (item) => item.username},
        {heading: 'CHANGED', value: (item) => item.updatedAt, kind: 'time'},
      ],
      items,
      'no logins for registries',
    )
    return {items}
  }
}
