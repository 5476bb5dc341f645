import {mkdir, readFile, rm, rmdir, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {Fault} from '../contract/faults.js'

/** Names the project that a folder is deployed to. It holds ids and no secret, so that it may be committed; it is never sent. */
export const linkPath = '.moorage/project.json'

export interface ProjectLink {
  readonly projectId: string
}

/** The link of a folder; a damaged one is never taken for none. */
export async function findProjectLink(folder: string): Promise<ProjectLink | undefined> {
  const file = path.join(folder, linkPath)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new Fault('CONFIGURATION', `can not read ${file}`, {details: {file}, cause: error})
  }
  const projectId = projectIdIn(text)
  if (projectId !== undefined) return {projectId}
  throw new Fault('CONFIGURATION', `${file} names no project; it holds {"projectId": "proj_…"}`, {details: {file}, suggestions: [`projects unlink ${folder}`]})
}

export async function writeProjectLink(folder: string, link: ProjectLink): Promise<void> {
  const file = path.join(folder, linkPath)
  try {
    await mkdir(path.dirname(file), {recursive: true})
    await writeFile(file, `${JSON.stringify(link, null, 2)}\n`)
  } catch (error) {
    throw new Fault('CONFIGURATION', `can not write ${file}`, {details: {file}, cause: error})
  }
}

/** Answers whether there was one. */
export async function removeProjectLink(folder: string): Promise<boolean> {
  const file = path.join(folder, linkPath)
  try {
    await rm(file)
  } catch (error) {
    if (isMissing(error)) return false
    throw new Fault('CONFIGURATION', `can not remove ${file}`, {details: {file}, cause: error})
  }
  // Somebody may keep something else beside it.
  await rmdir(path.dirname(file)).catch(() => undefined)
  return true
}

function projectIdIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const id: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'projectId') : undefined
    return typeof id === 'string' && id !== '' ? id : undefined
  } catch {
    return undefined
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
