import type {ComposeRelease} from '../../../src/compose/release.js'
import type {Sealer} from '../../store/secrets.js'
import type {StoreReader} from '../../store/store.js'
import {releaseContext} from '../sealed-fields.js'
import {Releases, type ReleaseRecord} from './records.js'

/** Files that go with a release: path below the folder of the project to content. */
export type ReleaseFiles = Readonly<Record<string, {readonly base64: string; readonly mode: number}>>

/** A release in plain text, as it was frozen. */
export interface OpenRelease extends Pick<ReleaseRecord, 'id' | 'projectId' | 'organizationId' | 'serverId' | 'services' | 'createdAt'> {
  readonly composeText: string
  readonly model: ComposeRelease
  readonly files: ReleaseFiles
}

export function sealRelease(sealer: Sealer, {composeText, model, files, ...plain}: OpenRelease): ReleaseRecord {
  const seal = (field: 'composeText' | 'model' | 'files', text: string) => sealer.seal(text, releaseContext(plain.id, field))
  return {...plain, services: [...plain.services], composeText: seal('composeText', composeText), model: seal('model', JSON.stringify(model)), files: seal('files', JSON.stringify(files))}
}

export async function findOpenRelease(reader: StoreReader, sealer: Sealer, id: string | null): Promise<OpenRelease | undefined> {
  const record = id === null ? undefined : await reader.get(Releases, id)
  return record === undefined ? undefined : openRelease(sealer, record)
}

export function openRelease(sealer: Sealer, record: ReleaseRecord): OpenRelease {
  const open = (field: 'composeText' | 'model' | 'files') => sealer.open(record[field], releaseContext(record.id, field))
  // Sealed by us with the record, so it has the form that we gave it.
  return {...record, composeText: open('composeText'), model: JSON.parse(open('model')) as ComposeRelease, files: JSON.parse(open('files')) as ReleaseFiles}
}
