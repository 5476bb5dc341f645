import {spawn} from 'node:child_process'
import {join} from 'node:path'
import {text} from 'node:stream/consumers'
import {labEnvironment, runCommand} from './lab-processes.js'

export interface CommitWish {
  readonly message: string
  /** Path by path; null removes one. What begins with `#!` may be run. */
  readonly files: Readonly<Record<string, string | Buffer | null>>
  /** `main` unless said otherwise; one that is new starts at the end of `main`. */
  readonly branch?: string
}

/** A bare repository, its branch being `main`. */
export interface GitRepository {
  readonly name: string
  /** The folder, `<name>.git`. */
  readonly path: string
  /** Answers with the id of the commit. Commits get their ids from what is in them alone: their clock goes one second a commit. */
  commit(wish: CommitWish): Promise<string>
  /** A light tag of the end of the branch. */
  tag(name: string, branch?: string): Promise<void>
  /** The id of the last commit. */
  head(branch?: string): Promise<string>
  git(...words: readonly string[]): Promise<string>
}

/** What keeps the person's own settings out of git. */
export const gitEnvironment = {...labEnvironment, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', HOME: '/nonexistent'}

export async function makeRepository(folder: string, name: string, commits: readonly CommitWish[] = []): Promise<GitRepository> {
  const path = join(folder, `${name}.git`)
  await runCommand('git', ['init', '--quiet', '--bare', '--initial-branch=main', path], gitEnvironment)
  const git = (...words: readonly string[]) => runCommand('git', ['-C', path, ...words], gitEnvironment)
  const head = async (branch = 'main') => (await git('rev-parse', '--verify', `refs/heads/${branch}`)).trim()
  let clock = Date.parse('2026-01-01T00:00:00Z') / 1000
  const repository: GitRepository = {
    name,
    path,
    git,
    head,
    async commit({message, files, branch = 'main'}) {
      const parent = await head(branch).catch(() => head()).catch(() => undefined)
      await fastImport(path, [
        `commit refs/heads/${branch}\ncommitter Lab <lab@example.test> ${clock++} +0000\n`,
        ...dataOf(`${message}\n`),
        parent === undefined ? '' : `from ${parent}\n`,
        ...Object.entries(files).flatMap(([file, content]) => changeOf(file, content)),
      ])
      return head(branch)
    },
    async tag(tag, branch) {
      await git('tag', tag, await head(branch))
    },
  }
  for (const commit of commits) await repository.commit(commit)
  return repository
}

function changeOf(file: string, content: string | Buffer | null): (string | Buffer)[] {
  // Quoted as C would, which JSON does for all names but those with control characters.
  const name = JSON.stringify(file)
  if (content === null) return [`D ${name}\n`]
  const mode = content.toString('latin1', 0, 2).startsWith('#!') ? '100755' : '100644'
  return [`M ${mode} inline ${name}\n`, ...dataOf(content)]
}

function dataOf(content: string | Buffer): (string | Buffer)[] {
  const bytes = Buffer.from(content)
  return [`data ${bytes.length}\n`, bytes, '\n']
}

async function fastImport(path: string, stream: readonly (string | Buffer)[]): Promise<void> {
  const child = spawn('git', ['-C', path, 'fast-import', '--quiet', '--done'], {stdio: ['pipe', 'ignore', 'pipe'], env: gitEnvironment})
  child.stdin.on('error', () => undefined)
  child.stdin.end(Buffer.concat([...stream, 'done\n'].map((part) => Buffer.from(part))))
  const ending = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const [code, errors] = await Promise.all([ending, text(child.stderr)])
  if (code !== 0) throw new Error(`git fast-import ended with ${code}: ${errors}`)
}
