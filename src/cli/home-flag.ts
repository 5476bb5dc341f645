import {string} from '@oclif/core/flags'

export const homeFlag = string({description: 'home of the daemon', helpValue: 'PATH'})
