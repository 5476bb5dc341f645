import {Fault} from '../../../src/contract/faults.js'
import type {serviceRoutes} from '../../../src/contract/services.js'
import type {Conversation, Handlers, RequestContext} from '../../http/handlers.js'
import type {TerminalControl, TerminalEnd} from '../../../src/contract/terminal.js'
import {findRunning, tell, type Found, type LiveParts} from './find-service.js'
import {talkToSession} from './talk-to-session.js'

type TerminalRoutes = Pick<typeof serviceRoutes, 'terminal'>

const bestShell = ['sh', '-c', 'command -v bash >/dev/null 2>&1 && exec bash; exec sh']
const toldCharacters = 1000

interface Opening {
  readonly found: Found
  readonly request: RequestContext
  readonly told: Readonly<Record<string, unknown>>
  /** Answers how the command ended. */
  readonly conversation: (...parts: Parameters<Conversation<TerminalControl, TerminalEnd>>) => Promise<number | null>
}

/** Terminals in containers. What is typed and shown passes through; nothing of it is kept. */
export function createTerminalHandlers(parts: LiveParts): Handlers<TerminalRoutes> {
  return {
    async terminal({params, query: {command, argv, cwd, user, tty, columns, rows}}, request) {
      if (command !== undefined && argv !== undefined) throw new Fault('VALIDATION_ERROR', 'give command or argv', {errors: [{path: '/argv', message: 'must not come with command'}]})
      const found = await findRunning(parts, params, request)
      const words = argv === undefined ? (command === undefined ? bestShell : ['sh', '-c', command]) : [argv].flat()
      const text = command ?? (argv === undefined ? null : words.join(' '))
      return audited(parts, {
        found, request,
        told: {service: found.service.name, containerId: found.container.id, command: text?.slice(0, toldCharacters) ?? null, user: user ?? null, tty},
        conversation: (peer) => talkToSession(peer, {tty, open: (signal) => found.engine.openSession(found.container.id, words, {terminal: tty ? {columns, rows} : null, cwd, user, signal})}),
      })
    },
  }
}

// Written before it begins: what takes the daemon down is in the audit trail too.
function audited(parts: LiveParts, {found: {project}, request, told, conversation}: Opening): Conversation<TerminalControl, TerminalEnd> {
  return async (peer) => {
    const startedAt = parts.clock.now()
    await tell(parts, {project, request, type: 'service.terminal_opened', payload: {after: told}})
    let exitCode: number | null = null
    try {
      exitCode = await conversation(peer)
    } finally {
      await tell(parts, {project, request, type: 'service.terminal_closed', payload: {after: {...told, exitCode, durationMs: parts.clock.now() - startedAt}}})
    }
  }
}
