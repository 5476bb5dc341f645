import {z} from 'zod'
import {readCompose} from '../../../../src/compose/read-compose.js'
import type {FolderScan} from '../../../../src/contract/uploads.js'
import type {SourceTree} from '../source.js'

/** What the client has said of the folder. */
export interface ScanHints {
  readonly name: string
  readonly packageManager: string | null
  readonly stack: string | null
}

const composeNames = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']
const lockFiles = {'pnpm-lock.yaml': 'pnpm', 'yarn.lock': 'yarn', 'bun.lock': 'bun', 'bun.lockb': 'bun', 'package-lock.json': 'npm'}
const stackFiles = {
  'package.json': 'node', 'requirements.txt': 'python', 'pyproject.toml': 'python', 'go.mod': 'go', 'Cargo.toml': 'rust', 'Gemfile': 'ruby', 'composer.json': 'php', 'pom.xml': 'java', 'build.gradle': 'java',
  'mix.exs': 'elixir', 'index.html': 'static',
}
const largestText = 1_000_000
const defaultPort = 3000

/** Tells from the files of a folder how it would be deployed. */
export async function scanTree(tree: SourceTree, hints: ScanHints): Promise<FolderScan> {
  const first = async (names: readonly string[]) => {
    for (const name of names) if ((await tree.has(name)) === 'file') return name
    return null
  }
  const [composePath, dockerfile] = [await first(composeNames), await first(['Dockerfile'])]
  const manifest = await readManifest(tree)
  const compose = composePath === null ? {services: [], diagnostics: nothingFound} : await readServices(tree, composePath)
  const lock = await first(Object.keys(lockFiles))
  const found = await first(Object.keys(stackFiles))
  const packageManager = lock === null ? (hints.packageManager ?? 'npm') : (lockFiles[lock as keyof typeof lockFiles] ?? 'npm')
  const isMonorepo = manifest?.workspaces !== undefined || (await tree.has('pnpm-workspace.yaml')) === 'file'
  const start = await readProcfile(tree)
  return {
    name: hints.name,
    stack: composePath !== null ? 'compose' : dockerfile !== null ? 'dockerfile' : found === null ? (hints.stack ?? 'unknown') : stackFiles[found as keyof typeof stackFiles],
    projectType: composePath !== null ? 'services' : dockerfile !== null ? 'docker' : isMonorepo ? 'monorepo' : 'app',
    packageManager,
    installCommand: manifest === null ? null : `${packageManager} install`,
    buildCommand: manifest?.scripts?.['build'] === undefined ? null : `${packageManager} run build`,
    startCommand: start ?? (manifest?.scripts?.['start'] === undefined ? null : `${packageManager} run start`),
    outputDirectory: null,
    rootDirectory: null,
    buildImage: null,
    port: dockerfile === null ? defaultPort : await readPort(tree, dockerfile),
    composePath,
    dockerfile,
    services: compose.services,
    configDiagnostics: composePath === null && dockerfile === null ? {errors: [nothingToBuild], warnings: []} : compose.diagnostics,
  }
}

const nothingFound: FolderScan['configDiagnostics'] = {errors: [], warnings: []}
const nothingToBuild = {path: '/', message: 'there is no Compose file and no Dockerfile at the top of the folder; one of them is needed to deploy it'}

const Manifest = z.object({scripts: z.record(z.string(), z.string()).optional(), workspaces: z.unknown().optional()})

async function readManifest(tree: SourceTree): Promise<z.output<typeof Manifest> | null> {
  const text = await tree.readText('package.json', largestText)
  if (text === undefined) return null
  try {
    return Manifest.parse(JSON.parse(text))
  } catch {
    // A manifest that can not be read tells nothing; the build will say what is wrong with it.
    return null
  }
}

async function readProcfile(tree: SourceTree): Promise<string | null> {
  const text = await tree.readText('Procfile', largestText)
  return /^web:[ \t]*(\S.*)$/m.exec(text ?? '')?.[1]?.trim() ?? null
}

async function readPort(tree: SourceTree, dockerfile: string): Promise<number> {
  const [, port] = /^\s*EXPOSE\s+(\d{1,5})\b/im.exec((await tree.readText(dockerfile, largestText)) ?? '') ?? []
  const number = Number(port ?? defaultPort)
  return number >= 1 && number <= 65_535 ? number : defaultPort
}

async function readServices(tree: SourceTree, path: string): Promise<{services: FolderScan['services']; diagnostics: FolderScan['configDiagnostics']}> {
  const readText = (name: string) => tree.readText(name, largestText)
  const {project, problems} = await readCompose({path, text: (await readText(path)) ?? '', variables: {}, profiles: [], readText})
  const told = (wanted: 'error' | 'warning') => problems.filter(({severity}) => severity === wanted).map(({file, line, message}) => ({path: `/${file}`, message: `line ${line}: ${message}`}))
  return {
    services: (project?.services ?? []).map(({name, image, build}) => ({name, image, build: build?.context ?? null})),
    diagnostics: {errors: told('error'), warnings: told('warning')},
  }
}
