import {nextWords, type CompletedCommand, type CompletedFlag} from './completion.js'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** A script that completes commands, flags and the values of flags that take few. Static: pressing Tab starts nothing. */
export function renderCompletion(shell: Shell, program: string, commands: readonly CompletedCommand[], topics: ReadonlyMap<string, string> = new Map()): string {
  switch (shell) {
    case 'bash':
      return renderBash(program, commands)
    case 'zsh':
      return `#compdef ${program}\nautoload -U +X bashcompinit && bashcompinit\n${renderBash(program, commands)}`
    case 'fish':
      return renderFish(program, commands, topics)
  }
}

function renderBash(program: string, commands: readonly CompletedCommand[]): string {
  const name = `_${program.replace(/\W/g, '_')}_complete`
  const ids = commands.map(({id}) => id)
  const words = [...nextWords(commands)].map(([before, next]) => `    ${quote(before)}) words=${quote(next.join(' '))} ;;\n`)
  const flags = commands.map(({id, flags: own}) => `    ${quote(id)}) flags=${quote(own.flatMap(flagWords).join(' '))} ;;\n`)
  const values = commands.flatMap(({id, flags: own}) =>
    own.filter(({options}) => options.length > 0).map((flag) => `    ${quote(`${id} --${flag.name}`)}) values=${quote(flag.options.join(' '))} ;;\n`),
  )
  return `# completion of ${program}
${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command='' path='' word words='' flags='' values=''
  local index=1
  while [ "$index" -lt "$COMP_CWORD" ]; do
    word="\${COMP_WORDS[index]}"
    case "$word" in -*) break ;; esac
    if [ -z "$path" ]; then path="$word"; else path="$path $word"; fi
    case "$path" in
${ids.map((id) => `      ${quote(id)}) command="$path" ;;\n`).join('')}    esac
    index=$((index + 1))
  done
  case "$command $previous" in
${values.join('')}  esac
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi
  case "$path" in
${words.join('')}  esac
  case "$command" in
${flags.join('')}  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); else COMPREPLY=($(compgen -f -- "$current")); fi ;;
  esac
}
complete -F ${name} ${program}
`
}

function flagWords({name, char}: CompletedFlag): string[] {
  return char === undefined ? [`--${name}`] : [`--${name}`, `-${char}`]
}

function renderFish(program: string, commands: readonly CompletedCommand[], topics: ReadonlyMap<string, string>): string {
  const summaries = new Map([...topics, ...commands.map(({id, summary}) => [id, summary] as const)])
  const lines = [...nextWords(commands)].flatMap(([before, next]) =>
    next.map((word) => {
      const id = before === '' ? word : `${before} ${word}`
      return `complete -c ${program} -f -n ${quote(`__${program}_at ${before}`.trim())} -a ${quote(word)} -d ${quote(summaries.get(id) ?? '')}`
    }),
  )
  const flags = commands.flatMap(({id, flags: own}) =>
    own.map(({name, char, description, options, takesValue}) => {
      const parts = [`complete -c ${program} -n ${quote(`__${program}_in ${id}`)} -l ${name}`]
      if (char !== undefined) parts.push(`-s ${char}`)
      if (takesValue) parts.push(options.length > 0 ? `-x -a ${quote(options.join(' '))}` : '-r')
      return [...parts, `-d ${quote(description)}`].join(' ')
    }),
  )
  return `# completion of ${program}
function __${program}_words
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; and break
    echo $word
  end
end
function __${program}_at
  test "$(__${program}_words | string join ' ')" = "$argv"
end
function __${program}_in
  set -l words (__${program}_words)
  test (count $words) -ge (count $argv); and test "$(string join ' ' $words[1..(count $argv)])" = "$argv"
end
${[...lines, ...flags].join('\n')}
`
}

function quote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`
}
