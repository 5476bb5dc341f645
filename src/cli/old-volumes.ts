import {option} from '@oclif/core/flags'
import type {Prompts} from './prompts.js'

/** What is done with volumes that a deleted project left. */
export const oldVolumesFlag = option({options: ['use', 'wipe'] as const})({description: 'what is done with volumes that a deleted project of the same slug left on the server'})

/** Asks before data is destroyed. */
export async function confirmWipe(prompts: Prompts, {'old-volumes': choice, yes}: {readonly 'old-volumes'?: 'use' | 'wipe' | undefined; readonly yes: boolean}): Promise<void> {
  if (choice === 'wipe') await prompts.confirm('wipe the volumes that a deleted project of this slug left on the server, with all of its data?', yes)
}
