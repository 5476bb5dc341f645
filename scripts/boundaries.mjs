// The lint rule that holds the house together: who may import whom. docs/architecture.md says why.
import {dirname, relative, resolve, sep} from 'node:path'

const terminalPackages = /^(?:@oclif\/|oclif$|ink$|ink-|react$|react\/)/
const insides = /^(?:records|handlers)\.[jt]sx?$/

/** Where a file of the repository belongs: its top folder, the area under it, and its own name. */
function placeOf(path) {
  const parts = path.split(sep)
  return {path, house: parts[0], area: parts.length > 2 ? parts[1] : '', name: parts.at(-1)}
}

function packageFault(from, name) {
  const terminal = from.house === 'commands' || from.house === 'bin' || (from.house === 'src' && from.area === 'cli')
  if (terminalPackages.test(name) && !terminal) return `only commands/ and src/cli/ may import ${name}`
  return undefined
}

function commandFault(from, to, lazy) {
  if (to.house === 'src') return undefined
  if (to.house === 'daemon' && from.area === 'daemon') {
    if (to.path === 'daemon/main.js') return lazy ? undefined : 'load daemon/main with await import(), so that other commands do not pay for it'
    return 'commands/daemon may load daemon/main and nothing else of the daemon'
  }
  if (to.house === 'commands') return 'commands never import each other; what two share belongs in src/'
  return 'commands reach the daemon through the client, never by import'
}

function daemonFault(from, to) {
  if (to.house === 'src') return to.area === 'cli' ? 'the daemon does not know the terminal' : undefined
  if (to.path === 'package.json') return undefined
  if (to.house !== 'daemon') return 'the daemon imports src/ and itself'
  if (from.area === '' || from.area === to.area) return undefined
  if (from.area === 'store' && to.area !== '') return 'the store knows no area'
  // http/handlers.ts is the interface of all handlers, not those of an area.
  if (to.area !== 'http' && insides.test(to.name)) return `${to.name} is an inside of daemon/${to.area}; import the file named after the deed`
  return undefined
}

function fileFault(from, to, lazy) {
  switch (from.house) {
    case 'bin':
    case 'scripts':
    case 'test':
      return undefined
    case 'commands':
      return commandFault(from, to, lazy)
    case 'daemon':
      return daemonFault(from, to)
    case 'src':
      if (to.house !== 'src' && to.path !== 'package.json') return 'src/ is shared by both sides and imports neither'
      return to.area === 'cli' && from.area !== 'cli' ? 'only commands/ use src/cli/' : undefined
    default:
      return undefined
  }
}

export const boundaries = {
  meta: {type: 'problem', schema: [], messages: {fault: '{{reason}}'}},
  create(context) {
    const file = placeOf(relative(context.cwd, context.filename))
    function check(node, lazy) {
      const source = node.source
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return
      const typeOnly = node.importKind === 'type' || node.exportKind === 'type'
      const name = source.value
      const reason = name.startsWith('.')
        ? fileFault(file, placeOf(relative(context.cwd, resolve(dirname(context.filename), name))), lazy || typeOnly)
        : packageFault(file, name)
      if (reason !== undefined) context.report({node: source, messageId: 'fault', data: {reason}})
    }
    return {
      ImportDeclaration: (node) => check(node, false),
      ExportNamedDeclaration: (node) => check(node, false),
      ExportAllDeclaration: (node) => check(node, false),
      ImportExpression: (node) => check(node, true),
    }
  },
}
