/** Variables that belong to the shell: read-only in bash or dash, or with a meaning that breaks it. Setting one ends a POSIX shell. */
export const shellOwnedNames = [
  'UID', 'EUID', 'PPID', 'GROUPS', 'OPTIND', 'LINENO', 'SHELLOPTS', 'BASHOPTS', 'BASH_VERSINFO', 'BASH_ARGC', 'BASH_ARGV', 'FUNCNAME', 'DIRSTACK',
] as const
