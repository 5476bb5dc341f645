/** A command as root without asking anyone. Variables go along by name; their values stay out of the argument list. */
export function sudoCommand(command: readonly string[], env: Readonly<Record<string, string>>): string[] {
  const names = Object.keys(env)
  return ['sudo', '-n', ...(names.length === 0 ? [] : [`--preserve-env=${names.join(',')}`]), '--', ...command]
}
