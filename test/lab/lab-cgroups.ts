import {existsSync} from 'node:fs'
import {readdir, rmdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {untilTrue} from './lab-processes.js'

// Control groups are one tree for the whole machine: what containers of the lab leave there has to be taken away by name.

const root = '/sys/fs/cgroup'

/** Lets paused containers go on: what is frozen can not even be killed. */
export async function thaw(name: string): Promise<void> {
  for (const folder of await foldersNamed(name)) {
    for (const group of await treeOf(folder)) await writeFile(join(group, 'freezer.state'), 'THAWED').catch(() => undefined)
  }
}

export async function removeCgroups(name: string): Promise<void> {
  for (const folder of await foldersNamed(name)) {
    // A group is busy until the last of its processes has been buried.
    await untilTrue(async () => removeTree(folder), {what: `${folder} to be empty`})
  }
}

/** Names of the groups at the top that the pattern fits. */
export async function cgroupsLike(pattern: RegExp): Promise<string[]> {
  const names = await Promise.all((await hierarchies()).map((folder) => readdir(folder).catch(() => [])))
  return [...new Set(names.flat())].filter((name) => pattern.test(name))
}

async function removeTree(folder: string): Promise<boolean> {
  for (const group of (await treeOf(folder)).reverse()) {
    if (!(await rmdir(group).then(() => true, (error: NodeJS.ErrnoException) => error.code === 'ENOENT'))) return false
  }
  return true
}

async function foldersNamed(name: string): Promise<string[]> {
  return (await hierarchies()).map((folder) => join(folder, name)).filter((folder) => existsSync(folder))
}

// Version 2 is the root itself, version 1 has a hierarchy a controller below it.
async function hierarchies(): Promise<string[]> {
  const entries = await readdir(root, {withFileTypes: true}).catch(() => [])
  return [root, ...entries.filter((entry) => entry.isDirectory()).map((entry) => join(root, entry.name))]
}

/** The folder and all groups below it, parents first. */
async function treeOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, {withFileTypes: true}).catch(() => [])
  const below = await Promise.all(entries.filter((entry) => entry.isDirectory()).map((entry) => treeOf(join(folder, entry.name))))
  return [folder, ...below.flat()]
}
