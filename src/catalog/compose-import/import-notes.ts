/** `lost`: not carried over; `changed`: carried over in another form; `check`: carried over, but only a person can tell whether it is right. */
export type NoteLevel = 'lost' | 'changed' | 'check'

/** What an author should know about one key of a Compose file. */
export interface ImportNote {
  readonly level: NoteLevel
  /** Null for what stands outside of services. */
  readonly service: string | null
  readonly key: string
  readonly why: string
  readonly todo: string
}

/** The notes of one import, each once and in order. */
export class ImportNotes {
  readonly #notes = new Map<string, ImportNote>()

  add(note: ImportNote): void {
    this.#notes.set(`${note.level} ${note.service ?? ''} ${note.key} ${note.why}`, note)
  }

  get all(): readonly ImportNote[] {
    return [...this.#notes.values()]
  }
}
