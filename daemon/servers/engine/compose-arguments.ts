import type {ComposeCommand} from './engine.js'

/**
 * The whole command line of a call of Compose. `args` stand after the name of the program, options that come before the verb first.
 * No colour and no moving cursor: version 1 before 1.28 has another option for that than all later ones.
 */
export function composeArguments({kind, version}: ComposeCommand, args: readonly string[]): readonly string[] {
  const program = kind === 'plugin' ? ['docker', 'compose'] : ['docker-compose']
  return [...program, ...(isBefore128(version) ? ['--no-ansi'] : ['--ansi', 'never']), ...args]
}

function isBefore128(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major === 1 && minor < 28
}
