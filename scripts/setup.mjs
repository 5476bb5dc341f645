// What npm start and npm test need before anything else: installed packages and a fresh build. Plain Node, as nothing is installed yet.
import {execFileSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath, pathToFileURL} from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const buildInputs = ['bin', 'catalog', 'commands', 'daemon', 'src', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsup.config.ts']
const buildMark = 'dist/.built-from'
const leastNode = [20, 19]

/** Packages of the lock that are not there in that version. Optional ones are for other machines. */
export function missingPackages(folder) {
  const wanted = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages
  const installedLock = join(folder, 'node_modules/.package-lock.json')
  const installed = existsSync(installedLock) ? JSON.parse(readFileSync(installedLock, 'utf8')).packages : {}
  return Object.entries(wanted)
    .filter(([path, entry]) => path !== '' && !entry.optional && !entry.devOptional && installed[path]?.version !== entry.version)
    .map(([path]) => path)
}

/** A digest of everything the build reads: the content, as a checkout changes every date. */
export function buildDigest(folder) {
  const digest = createHash('sha256')
  for (const path of buildInputs.flatMap((input) => filesAt(folder, input)).sort()) {
    digest.update(`${path}\0`).update(readFileSync(join(folder, path))).update('\0')
  }
  return digest.digest('hex')
}

function filesAt(folder, path) {
  const full = join(folder, path)
  if (!existsSync(full)) return []
  if (/\.\w+$/.test(path)) return [path]
  const entries = readdirSync(full, {recursive: true, withFileTypes: true})
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

export function isBuildStale(folder) {
  const mark = join(folder, buildMark)
  return !existsSync(mark) || readFileSync(mark, 'utf8') !== buildDigest(folder)
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])) return
  console.error(`This needs Node.js ${leastNode.join('.')} or newer; this is ${process.versions.node}.`)
  process.exit(1)
}

function install() {
  if (missingPackages(root).length === 0) return
  console.error('Installing packages …')
  // Nothing here depends on an install script having run.
  npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
}

function build() {
  if (!isBuildStale(root)) return
  console.error('Building …')
  npm(['run', '--silent', 'build'])
}

export function markBuilt() {
  mkdirSync(join(root, 'dist'), {recursive: true})
  writeFileSync(join(root, buildMark), buildDigest(root))
}

/** npm says where it is when it runs us; elsewhere it is looked for. Its chatter goes to stderr. */
function npm(args) {
  const [command, first] = process.env.npm_execpath ? [process.execPath, [process.env.npm_execpath]] : ['npm', []]
  try {
    execFileSync(command, [...first, ...args], {cwd: root, stdio: ['ignore', 2, 2]})
  } catch (error) {
    console.error(`npm ${args[0]} failed${error.status ? '' : `: ${error.message}`}`)
    process.exit(1)
  }
}

export function setUp() {
  checkNode()
  install()
  build()
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) setUp()
