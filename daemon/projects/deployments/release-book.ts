import type {ComposeRelease} from '../../../src/compose/release.js'
import type {Sealer} from '../../store/secrets.js'
import type {StoreReader} from '../../store/store.js'
import {releaseContext, type SealedField} from '../sealed-fields.js'
import {Releases, type ReleaseRecord} from './records.js'

/** Files that go with a release: path below the folder of the project to content. */
export type ReleaseFiles = Readonly<Record<string, {readonly base64: string; readonly mode: number}>>

/** What the services of a release were described in: path in the source to text. */
export type ReleaseTexts = Readonly<Record<string, string>>

/** A release in plain text, as it was frozen. */
export interface OpenRelease extends Pick<ReleaseRecord, 'id' | 'projectId' | 'organizationId' | 'serverId' | 'services' | 'createdAt'> {
  readonly composeText: string
  readonly model: ComposeRelease
  readonly files: ReleaseFiles
  readonly texts: ReleaseTexts
}

export function sealRelease(sealer: Sealer, {composeText, model, files, texts, ...plain}: OpenRelease): ReleaseRecord {
  const seal = (field: SealedField, text: string) => sealer.seal(text, releaseContext(plain.id, field))
  return {...plain, services: [...plain.services], composeText: seal('composeText', composeText), model: seal('model', JSON.stringify(model)), files: seal('files', JSON.stringify(files)), texts: seal('texts', JSON.stringify(texts))}
}

export async function findOpenRelease(reader: StoreReader, sealer: Sealer, id: string | null): Promise<OpenRelease | undefined> {
  const record = id === null ? undefined : await reader.get(Releases, id)
  return record === undefined ? undefined : openRelease(sealer, record)
}

export function openRelease(sealer: Sealer, record: ReleaseRecord): OpenRelease {
  const open = (field: SealedField) => sealer.open(record[field], releaseContext(record.id, field))
  // Sealed by us with the record, so it has the form that we gave it.
  const json = (field: SealedField): unknown => JSON.parse(open(field))
  return {...record, composeText: open('composeText'), model: json('model') as ComposeRelease, files: json('files') as ReleaseFiles, texts: json('texts') as ReleaseTexts}
}
