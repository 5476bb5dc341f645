import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../src/cli/base-command.js'
import {callApi, type ApiRequest} from '../src/cli/call-api.js'
import {parsePairs} from '../src/cli/pairs.js'
import {requireToken} from '../src/cli/target.js'
import {Fault} from '../src/contract/faults.js'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export default class Api extends BaseCommand<typeof Api> {
  static override summary = 'call any route of the API and print what it answers'
  static override description = 'The method is GET, or POST when --data is given. The path lies under the address of the instance, /api may be left out.'
  static override args = {
    method: Args.string({description: 'GET, POST, PUT, PATCH or DELETE', required: true}),
    path: Args.string({description: 'path, such as /api/jobs'}),
  }
  static override flags = {
    data: string({char: 'd', description: 'JSON to send; - reads it from stdin', helpValue: 'JSON'}),
    query: string({description: 'query parameter', helpValue: 'NAME=VALUE', multiple: true, multipleNonGreedy: true}),
  }
  static override examples = [
    {description: 'read', command: '<%= config.bin %> <%= command.id %> /jobs'},
    {description: 'run a job', command: `<%= config.bin %> <%= command.id %> POST /jobs/custom:nightly-backup/run --data '{}'`},
    {description: 'with a query', command: '<%= config.bin %> <%= command.id %> GET /jobs/runs --query limit=5'},
  ]

  async run(): Promise<undefined> {
    const {method, path} = this.#methodAndPath()
    const request: ApiRequest = {method, path, query: parsePairs(this.flags.query ?? [], '--query'), body: await this.#body()}
    const target = requireToken(await this.target(), this.paths)
    await callApi(request, {
      target, userAgent: this.userAgent, signal: this.signal, timeoutMs: this.flags.timeout, json: this.jsonEnabled(),
      write: (bytes) => this.out.write(bytes),
    })
    return undefined
  }

  #methodAndPath(): Pick<ApiRequest, 'method' | 'path'> {
    const {method: first, path: second} = this.args
    if (second === undefined) return {method: this.flags.data === undefined ? 'GET' : 'POST', path: first}
    const method = methods.find((candidate) => candidate === first.toUpperCase())
    if (method === undefined) throw new Fault('USAGE', `${first} is none of ${methods.join(', ')}`)
    return {method, path: second}
  }

  async #body(): Promise<string | undefined> {
    const {data} = this.flags
    if (data === undefined) return undefined
    const text = data === '-' ? await this.prompts.readInput('the JSON to send', '--data -') : data
    try {
      JSON.parse(text)
    } catch (error) {
      throw new Fault('USAGE', `--data is not JSON: ${error instanceof Error ? error.message : ''}`, {cause: error})
    }
    return text
  }
}
