import {spawnSync} from 'node:child_process'
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'

// docker-compose 1.29 of the system, which tells what a file means without an engine.

export const realVersion = spawnSync('docker-compose', ['version', '--short'], {encoding: 'utf8'}).stdout?.trim() ?? ''

/** Whether there is a docker-compose to compare with. Says so where there is none: what is not compared is not proved. */
export function hasRealCompose(): boolean {
  const has = realVersion.startsWith('1.29.')
  if (!has) process.stderr.write('\n!!! docker-compose 1.29 is not installed (apt-get install docker-compose): the comparison with it is left out\n\n')
  return has
}

export interface RealCase {
  readonly files: Readonly<Record<string, string>>
  readonly variables?: Readonly<Record<string, string>>
  readonly profiles?: readonly string[]
  /** The first one is the file itself. */
  readonly names?: readonly string[]
}

export type RealConfig = Record<string, Record<string, Record<string, unknown>>>

// The program itself, loaded once: its start takes most of its time. Every case has a process of its own.
const driver = `
import json, os, sys, yaml
from compose.cli.main import main
results = []
for case in json.load(sys.stdin):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(write, 1)
        os.dup2(write, 2)
        os.close(read)
        sys.stdout = os.fdopen(1, 'w', encoding='utf8')
        sys.stderr = open(os.devnull, 'w')
        os.chdir(case['folder'])
        os.environ.clear()
        os.environ.update(case['variables'])
        sys.argv = ['docker-compose'] + case['args']
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except BaseException as error:
            print(repr(error))
            code = 1
        sys.stdout.flush()
        os._exit(code)
    os.close(write)
    with os.fdopen(read, encoding='utf8') as output:
        text = output.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    # Read by the same library that wrote it: others see other line ends.
    results.append(yaml.safe_load(text) if code == 0 else text)
json.dump(results, sys.stdout)
`

/** What `docker-compose config` prints for each case, with dollar signs as they are and paths of the case as `.`; a text where it refuses. */
export async function realConfigs(cases: readonly RealCase[]): Promise<(RealConfig | string)[]> {
  const root = await mkdtemp(join(tmpdir(), 'moorage-compose-'))
  try {
    const jobs = []
    for (const [index, {files, variables = {}, profiles = [], names = ['compose.yml']}] of cases.entries()) {
      const folder = join(root, String(index))
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), {recursive: true})
        await writeFile(join(folder, path), text)
      }
      const args = [...names.flatMap((name) => ['-f', name]), ...profiles.flatMap((profile) => ['--profile', profile]), '-p', 'case', 'config']
      jobs.push({folder, args, variables: {PATH: process.env['PATH'], LANG: 'C.UTF-8', ...variables}})
    }
    const {stdout, stderr, status} = spawnSync(interpreter(), ['-c', driver], {input: JSON.stringify(jobs), encoding: 'utf8', maxBuffer: 200_000_000})
    if (status !== 0) throw new Error(stderr)
    const results = JSON.parse(stdout) as (RealConfig | string)[]
    return results.map((result, index) => (typeof result === 'string' ? result : (clean(result, join(root, String(index))) as RealConfig)))
  } finally {
    await rm(root, {recursive: true, force: true})
  }
}

/** What PyYAML, which docker-compose 1.29 reads with, makes of texts. */
export function pyYaml(texts: readonly string[]): unknown[] {
  const program = 'import json, sys, yaml; json.dump([yaml.safe_load(text) for text in json.load(sys.stdin)], sys.stdout)'
  const {stdout, stderr, status} = spawnSync(interpreter(), ['-c', program], {input: JSON.stringify(texts), encoding: 'utf8', maxBuffer: 200_000_000})
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as unknown[]
}

/** The Python that docker-compose itself runs with. */
function interpreter(): string {
  const script = spawnSync('sh', ['-c', 'head -n 1 "$(command -v docker-compose)"'], {encoding: 'utf8'}).stdout
  return /^#!\s*(\S+)/.exec(script)?.[1] ?? 'python3'
}

function clean(value: unknown, folder: string): unknown {
  if (typeof value === 'string') return value.replaceAll('$$', '$').replaceAll(folder, '.')
  if (Array.isArray(value)) return value.map((item) => clean(item, folder))
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clean(inner, folder)]))
  return value
}
