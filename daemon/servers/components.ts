import type {Runner} from './runner.js'

export type ComponentName = 'docker' | 'git' | 'rsync'

export interface Component {
  readonly name: ComponentName
  readonly installed: boolean
  readonly healthy: boolean
  readonly version: string | null
  readonly optional: boolean
  readonly message: string | null
}

interface Recipe {
  readonly version: readonly string[]
  /** Answers 0 when it does its work; may need root. */
  readonly health: readonly string[] | null
  readonly optional: boolean
}

const recipes: Readonly<Record<ComponentName, Recipe>> = {
  docker: {version: ['docker', '--version'], health: ['docker', 'version', '--format', '{{.Server.Version}}'], optional: false},
  git: {version: ['git', '--version'], health: null, optional: false},
  rsync: {version: ['rsync', '--version'], health: null, optional: true},
}

export const allComponents: readonly ComponentName[] = ['docker', 'git', 'rsync']

/** Looks for a component on a server: there or not, which version, and whether it does its work. */
export async function checkComponent(runner: Runner, name: ComponentName, signal: AbortSignal): Promise<Component> {
  const {version: versionCommand, health, optional} = recipes[name]
  // Through a shell, so that a program that is missing is an exit code on every kind of server.
  const found = await runner.exec(['/bin/sh', '-c', '"$@"', 'sh', ...versionCommand], {signal})
  if (found.exitCode !== 0) return {name, installed: false, healthy: false, version: null, optional, message: `${name} is not installed`}
  const version = /\d+(?:\.\d+)+/.exec(found.stdout)?.[0] ?? null
  const problem = health === null ? null : await findProblem(runner, health, signal)
  return {name, installed: true, healthy: problem === null, version, optional, message: problem}
}

async function findProblem(runner: Runner, command: readonly string[], signal: AbortSignal): Promise<string | null> {
  const plain = await runner.exec(command, {signal})
  if (plain.exitCode === 0) return null
  // Its socket may be for root alone; a server without sudo has its own message.
  const asRoot = await runner.exec(command, {signal, sudo: true}).catch(() => plain)
  if (asRoot.exitCode === 0) return null
  return firstLine(asRoot.stderr) || firstLine(plain.stderr) || `${command[0] ?? ''} does not answer`
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').slice(0, 500)
}
