import type {LintContext} from './lint-context.js'
import type {Problem, Rule} from './rule.js'

const step = {service: 'web', command: './make-key', capture: 'key', once: true, persistAs: {key: 'PASTE_KEY', secret: true}}
const app = (one: object) => ({app: {prepare: [one]}})

/** Commands that run inside a container after it has started. */
export const prepareRules: readonly Rule[] = [
  {
    id: 'persist-not-secret', severity: 'info', meaning: 'a captured value that is kept in plain',
    why: 'What commands print at setup is mostly a key or a token. Add secret: true to persistAs unless it may be seen.',
    bad: app({...step, persistAs: {key: 'PASTE_KEY'}}), good: app(step),
    check: (lint) => eachStep(lint, ({persistAs}) => (persistAs !== undefined && persistAs.secret !== true ? {at: ['persistAs'], message: `${persistAs.key} is kept in plain; add secret: true unless it may be seen`} : undefined)),
  },
  {
    id: 'prepare-reruns', severity: 'info', meaning: 'a step that runs with every deployment',
    why: 'Without once it runs each time, so it must be safe to run again.',
    bad: app({service: 'web', command: './make-admin', capture: 'admin'}), good: app(step),
    check: (lint) => eachStep(lint, ({once}) => (once === true ? undefined : {at: [], message: 'the step runs with every deployment; it must be safe to run again'})),
  },
  {
    id: 'once-without-persist', severity: 'warning', meaning: 'once on a step that keeps nothing',
    why: 'once skips the step when persistAs.key has a value; without persistAs it has no effect.',
    bad: app({...step, persistAs: undefined}), good: app(step),
    check: (lint) => eachStep(lint, ({once, persistAs}, isWhole) => (once === true && persistAs === undefined && isWhole ? {at: ['once'], message: 'once has no effect without persistAs'} : undefined)),
  },
  {
    id: 'post-ready-no-readiness', severity: 'warning', meaning: 'a post-ready step that does not say when the app is ready',
    why: 'There is nothing to wait for, so it runs at once. Give readiness.test, a command that succeeds when the app is up.',
    bad: app({...step, phase: 'post-ready'}), good: app({...step, phase: 'post-ready', readiness: {test: 'test -S /run/paste.sock'}}),
    check: (lint) => eachStep(lint, ({phase, readiness}, isWhole) => (phase === 'post-ready' && readiness === undefined && isWhole ? {at: ['phase'], message: 'a post-ready step needs readiness.test to wait for'} : undefined)),
  },
  {
    id: 'readiness-ignored', severity: 'warning', meaning: 'readiness on a step of another phase',
    why: 'It is only asked for in the phase post-ready.',
    bad: app({...step, readiness: {test: 'test -S /run/paste.sock'}}), good: app({...step, phase: 'post-ready', readiness: {test: 'test -S /run/paste.sock'}}),
    check: (lint) => eachStep(lint, ({phase, readiness}, isWhole) => (readiness !== undefined && phase !== 'post-ready' && isWhole ? {at: ['readiness'], message: 'readiness counts in the phase post-ready only'} : undefined)),
  },
  {
    id: 'readiness-times', severity: 'warning', meaning: 'an interval or a number of retries that makes no sense',
    why: 'interval is milliseconds between tries, retries how often; 3 is no time at all.',
    bad: app({...step, phase: 'post-ready', readiness: {test: 'true', interval: 3}}), good: app({...step, phase: 'post-ready', readiness: {test: 'true', interval: 3000}}),
    check: (lint) =>
      eachStep(lint, ({readiness: {interval, retries} = {}}) => {
        if (interval !== undefined && interval < 100) return {at: ['readiness', 'interval'], message: `the interval is ${interval} milliseconds; write 1000 for a second`}
        return retries !== undefined && (!Number.isInteger(retries) || retries < 1) ? {at: ['readiness', 'retries'], message: 'retries is a whole number from 1'} : undefined
      }),
  },
  {
    id: 'pre-deploy-phase', severity: 'warning', meaning: 'a step in the phase pre-deploy',
    why: 'The phase is accepted, but its steps are never run.',
    bad: app({...step, phase: 'pre-deploy'}), good: app({...step, phase: 'post-start'}),
    check: (lint) => eachStep(lint, ({phase}) => (phase === 'pre-deploy' ? {at: ['phase'], message: 'pre-deploy steps are never run; use post-start or post-ready'} : undefined)),
  },
  {
    id: 'prepare-command-empty', severity: 'warning', meaning: 'a step without a command',
    why: 'It prints nothing, so there is nothing to capture.',
    bad: app({...step, command: ' '}), good: app(step),
    check: (lint) => eachStep(lint, ({command}) => (command.trim() === '' ? {at: ['command'], message: 'the command is empty'} : undefined)),
  },
]

type Step = NonNullable<LintContext['definition']['prepare']>[number]

function eachStep({definition: {prepare = []}, isComplete}: LintContext, check: (step: Step, isWhole: boolean) => {at: string[]; message: string} | undefined): Problem[] {
  const isWhole = isComplete('prepare')
  return prepare.flatMap((one, index) => {
    const found = check(one, isWhole)
    return found === undefined ? [] : [{path: ['prepare', index, ...found.at], message: found.message, ...(found.at.length === 0 ? {} : {part: 'key' as const})}]
  })
}
