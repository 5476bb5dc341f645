import {boolean, custom, string} from '@oclif/core/flags'
import {parseApiUrl} from '../client/api-url.js'
import {Fault} from '../contract/faults.js'
import {parseDuration} from './time-text.js'

const group = 'GLOBAL'

/** A flag that takes `90s`, `5m` or `2h` and gives milliseconds. */
export const duration = custom<number>({
  parse: (input, _, flag) => Promise.resolve(parseDuration(input, `--${flag.name}`)),
  helpValue: 'DURATION',
})

/** What every command takes, meaning the same in each. */
export const globalFlags = {
  json: boolean({description: 'print one JSON document, failures included', helpGroup: group}),
  url: custom<string>({parse: (input) => Promise.resolve(parseApiUrl(input, '--url'))})({
    description: 'address of the instance, such as https://ops.example.com', helpGroup: group, helpValue: 'URL', exclusive: ['context'],
  }),
  context: string({description: 'use this context instead of the current one', helpGroup: group, helpValue: 'NAME'}),
  organization: string({description: 'act in this organization', helpGroup: group, helpValue: 'ID'}),
  'token-stdin': boolean({description: 'read the access token from stdin', helpGroup: group}),
  'no-start': boolean({description: 'fail instead of starting a local daemon', helpGroup: group}),
  timeout: duration({description: 'longest time to wait', helpGroup: group}),
  quiet: boolean({char: 'q', description: 'leave out notes and progress', helpGroup: group}),
  verbose: boolean({char: 'v', description: 'say more on stderr, such as where an error comes from', helpGroup: group}),
  'no-color': boolean({description: 'never use colour', helpGroup: group}),
}

/** Of commands that destroy something. */
export const yesFlag = boolean({char: 'y', description: 'do not ask for confirmation'})

/** Of commands that list something. */
export const listFlags = {
  limit: custom<number>({
    parse: (input) => {
      const limit = Number(input)
      if (!/^\d+$/.test(input) || limit < 1 || limit > 100_000) throw new Fault('USAGE', `--limit takes a number from 1 to 100000, not ${JSON.stringify(input)}`)
      return Promise.resolve(limit)
    },
  })({description: 'rows to show at most (50 unless given)', helpValue: 'N', exclusive: ['all']}),
  cursor: string({description: 'go on after a page: the member next of --json', helpValue: 'CURSOR'}),
  all: boolean({description: 'show every row'}),
}
