import {z} from 'zod'

const Flag = z.looseObject({
  name: z.string(),
  char: z.string().optional(),
  type: z.string(),
  summary: z.string().optional(),
  description: z.string().optional(),
  required: z.boolean().optional(),
  multiple: z.boolean().optional(),
  hidden: z.boolean().optional(),
  default: z.unknown().optional(),
  options: z.array(z.string()).optional(),
  helpGroup: z.string().optional(),
})
const Arg = z.looseObject({name: z.string(), description: z.string().optional(), required: z.boolean().optional(), hidden: z.boolean().optional()})
const Example = z.union([z.string(), z.object({description: z.string().optional(), command: z.string()})])
const Command = z.looseObject({
  id: z.string(),
  hidden: z.boolean().optional(),
  aliases: z.array(z.string()).optional(),
  summary: z.string().optional(),
  description: z.string().optional(),
  args: z.record(z.string(), Arg),
  flags: z.record(z.string(), Flag),
  examples: z.array(Example).optional(),
})
type Command = z.output<typeof Command>
type Flag = z.output<typeof Flag>

export const Manifest = z.looseObject({commands: z.record(z.string(), Command)})

/** The pages of docs/cli, by file name: one a topic, and the list of all commands. Flags that every command has stand in the list alone. */
export function renderCliPages(manifest: z.output<typeof Manifest>): Map<string, string> {
  const commands = Object.values(manifest.commands).filter((command) => command.hidden !== true).sort((a, b) => (a.id < b.id ? -1 : 1))
  const topics = new Map<string, Command[]>()
  for (const command of commands) topics.set(topicOf(command), [...(topics.get(topicOf(command)) ?? []), command])
  const shared = sharedFlags(commands)
  const pages = [...topics].map(([topic, members]) => [`${topic}.md`, renderTopic(topic, members, shared)] as const)
  return new Map([['README.md', renderIndex(commands, shared)], ...pages])
}

const topicOf = (command: Command) => (command.id.includes(':') ? (command.id.split(':')[0] ?? '') : 'general')
const typed = (command: Command) => `moorage ${command.id.replaceAll(':', ' ')}`

function sharedFlags(commands: readonly Command[]): Map<string, Flag> {
  const [first] = commands
  const everywhere = Object.entries(first?.flags ?? {}).filter(([name]) => commands.every((command) => command.flags[name] !== undefined))
  return new Map(everywhere)
}

function renderIndex(commands: readonly Command[], shared: ReadonlyMap<string, Flag>): string {
  const rows = commands.map((command) => `| [\`${typed(command)}\`](${topicOf(command)}.md#${anchor(command)}) | ${command.summary ?? ''} |`)
  return [
    '# Command reference',
    '',
    'Made from the manifest by `npm run generate`; do not edit.',
    '',
    '| command | what it does |',
    '| --- | --- |',
    ...rows,
    '',
    '## Flags of every command',
    '',
    ...flagTable([...shared.values()]),
    '',
  ].join('\n')
}

function renderTopic(topic: string, commands: readonly Command[], shared: ReadonlyMap<string, Flag>): string {
  const texts = commands.map((command) => renderCommand(command, shared))
  return [`# moorage ${topic === 'general' ? '' : topic}`.trimEnd(), '', 'Made by `npm run generate`; do not edit. [Flags of every command](README.md#flags-of-every-command).', '', ...texts]
    .join('\n')
    .trimEnd() + '\n'
}

function renderCommand(command: Command, shared: ReadonlyMap<string, Flag>): string {
  const args = Object.values(command.args).filter((arg) => arg.hidden !== true)
  const usage = [typed(command), ...args.map((arg) => (arg.required === true ? arg.name.toUpperCase() : `[${arg.name.toUpperCase()}]`))].join(' ')
  const flags = Object.values(command.flags).filter((flag) => !shared.has(flag.name) && flag.hidden !== true)
  return [
    `## ${typed(command)}`,
    '',
    ...(command.summary === undefined ? [] : [plain(command, command.summary), '']),
    ...(command.description === undefined ? [] : [plain(command, command.description), '']),
    `    ${usage}${flags.length > 0 ? ' [flags]' : ''}`,
    '',
    ...(args.length === 0 ? [] : ['| argument | meaning |', '| --- | --- |', ...args.map((arg) => `| \`${arg.name}\` | ${cell(arg.description)} |`), '']),
    ...(flags.length === 0 ? [] : [...flagTable(flags), '']),
    ...examplesOf(command),
  ].join('\n')
}

function flagTable(flags: readonly Flag[]): string[] {
  const rows = [...flags].sort((a, b) => (a.name < b.name ? -1 : 1)).map((flag) => {
    const short = flag.char === undefined ? '' : `, \`-${flag.char}\``
    const value = flag.type === 'option' ? ` ${flag.options?.join('\\|') ?? 'VALUE'}` : ''
    const notes = [
      cell(flag.summary ?? flag.description),
      flag.required === true ? 'required' : '',
      flag.multiple === true ? 'may be repeated' : '',
      typeof flag.default === 'string' || typeof flag.default === 'number' ? `default \`${flag.default}\`` : '',
    ]
    return `| \`--${flag.name}${value}\`${short} | ${notes.filter((note) => note !== '').join('; ')} |`
  })
  return ['| flag | meaning |', '| --- | --- |', ...rows]
}

function examplesOf(command: Command): string[] {
  const examples = command.examples ?? []
  if (examples.length === 0) return []
  const lines = examples.flatMap((example) => {
    if (typeof example === 'string') return [`    ${plain(command, example)}`]
    const title = example.description === undefined ? [] : [`    # ${example.description}`]
    return [...title, `    ${plain(command, example.command)}`]
  })
  return ['Examples:', '', ...lines, '']
}

// Texts of oclif hold small templates for the names of program and command.
function plain(command: Command, text: string): string {
  return text.replaceAll(/<%=\s*config\.bin\s*%>/g, 'moorage').replaceAll(/<%=\s*command\.id\s*%>/g, command.id.replaceAll(':', ' '))
}

const cell = (text: string | undefined) => (text ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ')
const anchor = (command: Command) => typed(command).replaceAll(' ', '-')
