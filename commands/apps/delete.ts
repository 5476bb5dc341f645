import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {yesFlag} from '../../src/cli/global-flags.js'
import {Fault} from '../../src/contract/faults.js'

export default class AppsDelete extends BaseCommand<typeof AppsDelete> {
  static override summary = 'delete an app that your organization uploaded; what was installed from it keeps running'
  static override args = {app: Args.string({description: 'id of the custom app', required: true})}
  static override flags = {yes: yesFlag}
  static override examples = [{description: 'delete a custom app', command: '<%= config.bin %> <%= command.id %> my-tool --yes'}]

  async run(): Promise<object> {
    const {data: uploads} = await this.api.apps.customList({}, {signal: this.signal})
    const upload = uploads.find(({appId}) => appId === this.args.app)
    if (upload === undefined) {
      throw new Fault('NOT_FOUND', `your organization uploaded no app ${this.args.app}`, {details: {app: this.args.app}, suggestions: ['apps list --custom']})
    }
    await this.prompts.confirm(`Delete the custom app ${upload.name} (${upload.appId})?`, this.flags.yes)
    const {data} = await this.api.apps.deleteCustom({params: {appId: upload.appId}}, {signal: this.signal})
    this.log(`${upload.appId} is deleted`)
    return {appId: upload.appId, ...data}
  }
}
