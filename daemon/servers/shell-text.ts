/** Runs shell text that comes through the environment: arguments can be read by anyone on the machine. */
export function shellTextCommand(text: string): {readonly command: readonly string[]; readonly env: Readonly<Record<string, string>>} {
  return {command: ['/bin/sh', '-c', 'eval "unset MOORAGE_SCRIPT; $MOORAGE_SCRIPT"'], env: {MOORAGE_SCRIPT: text}}
}
