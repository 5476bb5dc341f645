import {boolean} from '@oclif/core/flags'

/** Of commands that start a run. */
export const followFlags = {
  wait: boolean({char: 'w', description: 'wait for the end; ends with 0, 1, or 8 when --timeout came first'}),
  follow: boolean({char: 'f', description: 'show the output while waiting'}),
  timestamps: boolean({description: 'put its time before each line'}),
}
