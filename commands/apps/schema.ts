import {boolean, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {readSchema, writeNewFile} from '../../src/cli/definition-place.js'

export default class AppsSchema extends BaseCommand<typeof AppsSchema> {
  static override summary = 'print the JSON Schema of app definitions, for editors'
  static override flags = {
    output: string({char: 'o', description: 'write it to this file instead of stdout', helpValue: 'FILE'}),
    force: boolean({description: 'replace the file if it is there', dependsOn: ['output']}),
  }
  static override examples = [{description: 'after an upgrade', command: '<%= config.bin %> <%= command.id %> --output app.schema.json --force'}]

  async run(): Promise<object> {
    const text = await readSchema(this.config.root)
    const {output, force} = this.flags
    if (output === undefined) {
      if (!this.jsonEnabled()) await this.out.write(text)
      return JSON.parse(text) as object
    }
    await writeNewFile(output, text, force)
    this.log(output)
    return {file: output}
  }
}
