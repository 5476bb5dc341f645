import type {Healthcheck} from './definition.js'
import {parseDurationNs} from './durations.js'

/** A check as a container engine takes it; what is null stays as the image has it. */
export type RenderedHealthcheck =
  | {readonly disabled: true}
  | {
      readonly disabled: false
      readonly test: readonly string[] | null
      readonly intervalNs: number | null
      readonly timeoutNs: number | null
      readonly startPeriodNs: number | null
      readonly retries: number | null
    }

const forms: readonly (string | undefined)[] = ['CMD', 'CMD-SHELL', 'NONE']

export function mapHealthcheck(check: Healthcheck): RenderedHealthcheck {
  const test = mapTest(check.test)
  if (check.disable === true || test?.[0] === 'NONE') return {disabled: true}
  const duration = (text: string | undefined): number | null => (text === undefined ? null : (parseDurationNs(text) ?? null))
  return {
    disabled: false,
    test,
    intervalNs: duration(check.interval),
    timeoutNs: duration(check.timeout),
    startPeriodNs: duration(check.startPeriod),
    retries: check.retries ?? null,
  }
}

function mapTest(test: Healthcheck['test']): readonly string[] | null {
  if (test === undefined || test.length === 0) return null
  if (typeof test === 'string') return ['CMD-SHELL', test]
  return forms.includes(test[0]) ? test : ['CMD', ...test]
}
