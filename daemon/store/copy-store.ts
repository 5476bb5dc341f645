import {constants} from 'node:fs'
import {copyFile, mkdir} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {toInstant, type Clock} from '../clock.js'
import {syncFolder} from './disk.js'
import {listStoreFiles, type StorePaths} from './store-files.js'

/** Copies snapshots and journal aside, into `store/<kind>-<instant>`; answers the folder. */
export async function copyStore(paths: StorePaths, kind: 'backup' | 'damaged', clock: Clock): Promise<string> {
  const folder = join(paths.folder, `${kind}-${toInstant(clock.now()).replaceAll(':', '-')}`)
  await mkdir(folder, {mode: 0o700})
  const files = await listStoreFiles(paths)
  for (const path of [...files.snapshots.map(paths.snapshot), ...files.segments.map(paths.segment)]) {
    await copyFile(path, join(folder, basename(path)), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  }
  await syncFolder(folder)
  return folder
}
