import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {z} from 'zod'
import {systemClock} from '../../../daemon/clock.js'
import {defineCollection, type Collection} from '../../../daemon/store/collection.js'
import {openFileStore, type FileStoreLimits} from '../../../daemon/store/file-store.js'
import type {Log, LogFields} from '../../../daemon/log.js'

export const Note = z.object({
  id: z.string(),
  title: z.string(),
  shelf: z.string().nullable(),
  label: z.string().nullable(),
  open: z.boolean(),
  createdAt: z.string(),
})
export type Note = z.output<typeof Note>

export const Notes = defineCollection({
  name: 'notes',
  version: 1,
  schema: Note,
  indexes: {
    shelf: {fields: ['shelf']},
    shelfTitle: {fields: ['shelf', 'open'], orderBy: 'title'},
    label: {fields: ['label'], unique: true, sparse: true},
  },
})

export const Count = z.object({id: z.string(), value: z.number()})
export const Counts = defineCollection({name: 'counts', version: 1, schema: Count, indexes: {value: {fields: ['value']}}})

export function note(id: string, over: Partial<Note> = {}): Note {
  return {id, title: `title of ${id}`, shelf: 'a', label: null, open: true, createdAt: '2026-01-01T00:00:00.000Z', ...over}
}

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly details: LogFields
  readonly message: string
}

/** Keeps what the store reported. */
export function recordingLog(lines: LogLine[] = []): Log & {readonly lines: LogLine[]} {
  const at = (level: LogLine['level']) => (message: string, details: LogFields = {}) => void lines.push({level, details, message})
  return {lines, info: at('info'), warn: at('warn'), error: at('error')}
}

/** Runs with a folder of its own that is gone afterwards. */
export async function withHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'moorage-store-'))
  try {
    return await work(home)
  } finally {
    await rm(home, {recursive: true, force: true})
  }
}

export function openStore(home: string, collections: readonly Collection[] = [Notes, Counts], limits: FileStoreLimits = {}) {
  return openFileStore({home, collections, clock: systemClock, log: recordingLog(), limits})
}
