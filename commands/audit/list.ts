import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {listFlags} from '../../src/cli/global-flags.js'
import {collectPages} from '../../src/cli/list-pages.js'

export default class AuditList extends BaseCommand<typeof AuditList> {
  static override summary = 'read the audit trail, newest first'
  static override flags = {
    ...listFlags,
    event: string({description: 'only this kind of event', helpValue: 'EVENT'}),
    actor: string({description: 'only what this user did', helpValue: 'USER-ID'}),
    'resource-type': string({description: 'only about this kind of thing', helpValue: 'TYPE'}),
    'resource-id': string({description: 'only about this thing', helpValue: 'ID'}),
    source: string({description: 'only what came in this way', options: ['dashboard', 'mcp', 'cli', 'api', 'webhook', 'system']}),
    from: string({description: 'from this instant on, ISO 8601', helpValue: 'TIME'}),
    to: string({description: 'up to this instant, ISO 8601', helpValue: 'TIME'}),
  }
  static override examples = [
    {description: 'what happened last', command: '<%= config.bin %> <%= command.id %> --limit 20'},
    {description: 'who changed jobs', command: '<%= config.bin %> <%= command.id %> --resource-type job --json'},
  ]

  async run(): Promise<object> {
    const {event, actor, 'resource-type': resourceType, 'resource-id': resourceId, source, from, to} = this.flags
    const filters = {eventType: event, actorUserId: actor, resourceType, resourceId, source, from, to}
    const result = await collectPages(this.flags, (query) => this.api.audit.list({query: {...query, ...filters}}, {signal: this.signal}))
    this.out.table(
      [
        {heading: 'AT', value: (entry) => entry.createdAt, kind: 'time'},
        {heading: 'EVENT', value: (entry) => entry.eventType},
        {heading: 'WHO', value: (entry) => entry.actor?.name ?? entry.actorUserId ?? entry.source},
        {heading: 'WHAT', value: (entry) => [entry.resourceType, entry.resourceId].filter((part) => part !== null).join(' ')},
        {heading: 'FROM', value: (entry) => entry.source},
        {heading: 'ADDRESS', value: (entry) => entry.ipAddress},
      ],
      result.items,
      'nothing in the audit trail',
    )
    return result
  }
}
