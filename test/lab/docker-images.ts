import {createHash} from 'node:crypto'
import {copyFile, mkdir, readFile, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {runCommand} from './lab-processes.js'

// No image can be pulled in a lab. These are made of busybox alone; they share one layer, so an engine takes them all at once.
// Their `wget` crashes where it fails with `-T`: leave that word away.

const serve = ['sh', '-c', 'mkdir -p /www && echo "version $VERSION" >/www/index.html && exec httpd -f -p 80 -h /www']

interface ReadyImage {
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Asked every second; two bad answers make the container unhealthy. */
  readonly healthCheck?: readonly string[]
}

const readyImages = {
  /** All of busybox, and a shell. */
  'lab/base:1': {command: ['sh']},
  /** Serves `version 1` on port 80; the variable VERSION says another. */
  'lab/web:1': {command: serve, environment: {VERSION: '1'}},
  'lab/web:2': {command: serve, environment: {VERSION: '2'}},
  'lab/web:3': {command: serve, environment: {VERSION: '3'}},
  /** As `lab/web:1`, with a health check that passes. */
  'lab/healthy:1': {command: serve, environment: {VERSION: '1'}, healthCheck: ['CMD', 'wget', '-q', '-O', '/dev/null', 'http://127.0.0.1/']},
  /** As `lab/web:1`, with a health check that never passes. */
  'lab/unhealthy:1': {command: serve, environment: {VERSION: '1'}, healthCheck: ['CMD', 'false']},
  /** Says why, and exits with 3 at once. */
  'lab/exits:1': {command: ['sh', '-c', 'echo "this container gives up" >&2; exit 3']},
} as const satisfies Readonly<Record<string, ReadyImage>>

/** An image that every engine of the lab has from the start. */
export type ReadyImageName = keyof typeof readyImages

export const readyImageNames = Object.keys(readyImages) as readonly ReadyImageName[]

/** Writes what `docker load` takes; answers with the file. */
export async function makeImageArchive(folder: string): Promise<string> {
  const content = join(folder, 'images')
  const layer = join(content, 'layer.tar')
  await makeFileSystem(join(folder, 'busybox'))
  await mkdir(content)
  await runCommand('tar', ['-C', join(folder, 'busybox'), '--owner=0', '--group=0', '-cf', layer, '.'])
  const diffId = `sha256:${createHash('sha256').update(await readFile(layer)).digest('hex')}`
  const manifest: object[] = []
  for (const [name, image] of Object.entries<ReadyImage>(readyImages)) {
    const config = `${name.replaceAll(/\W/g, '-')}.json`
    await writeFile(join(content, config), JSON.stringify(toConfig(image, diffId)))
    manifest.push({Config: config, RepoTags: [name], Layers: ['layer.tar']})
  }
  await writeFile(join(content, 'manifest.json'), JSON.stringify(manifest))
  const archive = join(folder, 'images.tar')
  await runCommand('tar', ['-C', content, '-cf', archive, '.'])
  return archive
}

function toConfig(image: ReadyImage, diffId: string): object {
  const second = 1e9
  const created = '2026-01-01T00:00:00Z'
  const healthCheck = image.healthCheck === undefined ? {} : {Healthcheck: {Test: image.healthCheck, Interval: second, Timeout: 5 * second, Retries: 2}}
  return {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    created,
    config: {
      Env: ['PATH=/bin', ...Object.entries(image.environment ?? {}).map(([name, value]) => `${name}=${value}`)],
      Cmd: image.command,
      // The first process of a container does not end on TERM unless it says so; nobody wants to wait ten seconds for it.
      StopSignal: 'SIGKILL',
      ...healthCheck,
    },
    rootfs: {type: 'layers', diff_ids: [diffId]},
    history: [{created, created_by: 'lab'}],
  }
}

async function makeFileSystem(folder: string): Promise<void> {
  for (const name of ['bin', 'etc', 'root', 'tmp', 'www']) await mkdir(join(folder, name), {recursive: true})
  await runCommand('chmod', ['1777', join(folder, 'tmp')])
  await writeFile(join(folder, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n')
  await writeFile(join(folder, 'etc/group'), 'root:x:0:\n')
  await copyFile('/bin/busybox', join(folder, 'bin/busybox'))
  const applets = (await runCommand('/bin/busybox', ['--list'])).split('\n').filter((name) => name !== '' && name !== 'busybox')
  for (const name of applets) await symlink('busybox', join(folder, 'bin', name))
}
