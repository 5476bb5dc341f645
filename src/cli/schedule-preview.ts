import {formatInZone} from './time-text.js'

export interface SchedulePreview {
  readonly words: string
  readonly timeZone: string
  /** The next instants it fires at. */
  readonly fires: string[]
}

const shownFires = 3

/** What an expression means, before it is saved. Throws the fault of one that is wrong or never fires. */
export async function previewSchedule(expression: string, timeZone: string, nowMs: number): Promise<SchedulePreview> {
  const [{describeSchedule}, {nextFires}] = await Promise.all([import('../schedule/describe-schedule.js'), import('../schedule/next-fires.js')])
  const fires = nextFires(expression, timeZone, new Date(nowMs), shownFires)
  return {words: await describeSchedule(expression), timeZone, fires: fires.map((fire) => fire.toISOString())}
}

export function previewLines({words, timeZone, fires}: SchedulePreview): string[] {
  return [`${words}, ${timeZone}; next:`, ...fires.map((fire) => `  ${formatInZone(new Date(fire), timeZone)}`)]
}
