import type {Engine, EngineSession} from './engine.js'
import type {EngineLink, Link} from './engine-link.js'
import {listeningPorts} from './container-listens.js'
import {runCompose} from './run-compose.js'
import {readServerFile, removeServerFolder, writeServerFile, type FilePlace} from './server-files.js'
import {findTakenPorts} from './taken-ports.js'

/** The engine of one server, over whatever way the link has found. */
export function serverEngine(serverId: string, link: EngineLink): Engine {
  return {
    serverId,
    facts: ({signal, fresh}) => link.facts(signal, fresh === true),
    compose: (args, {signal, cwd, onLine}) => link.with(signal, ({runner, subject, place}) => runCompose(args, {runner, subject, place, cwd, signal, onLine})),
    writeFile: (path, content, {signal, ...options}) => link.with(signal, (reached) => writeServerFile(filesOf(reached), {path, content, ...options}, signal)),
    readFile: (path, {signal}) => link.with(signal, (reached) => readServerFile(filesOf(reached), path, signal)),
    removeFolder: (path, {signal, keep}) => link.with(signal, (reached) => removeServerFolder(filesOf(reached), {path, keep}, signal)),
    takenPorts: ({signal}) => link.with(signal, ({runner, calls}) => findTakenPorts(runner, () => calls.containers({}, {signal}), signal)),
    listeningPorts: (container, {signal}) => link.with(signal, ({runner}) => listeningPorts(runner, container, signal)),
    pull: (ref, options) => link.with(options.signal, ({calls}) => calls.pull(ref, options)),
    async build(context, options) {
      // Something must hear of it when the stream breaks before anyone reads it.
      context.on('error', () => undefined)
      try {
        return await link.with(options.signal, ({calls}) => calls.build(context, options))
      } finally {
        context.destroy()
      }
    },
    image: (ref, options) => link.with(options.signal, ({calls}) => calls.image(ref, options)),
    tag: (ref, tag, options) => link.with(options.signal, ({calls}) => calls.tag(ref, tag, options)),
    removeImage: (ref, options) => link.with(options.signal, ({calls}) => calls.removeImage(ref, options)),
    containers: (labels, options) => link.with(options.signal, ({calls}) => calls.containers(labels, options)),
    container: (id, options) => link.with(options.signal, ({calls}) => calls.container(id, options)),
    usage: (id, options) => link.with(options.signal, ({calls}) => calls.usage(id, options)),
    start: (id, options) => link.with(options.signal, ({calls}) => calls.start(id, options)),
    stop: (id, options) => link.with(options.signal, ({calls}) => calls.stop(id, options)),
    restart: (id, options) => link.with(options.signal, ({calls}) => calls.restart(id, options)),
    remove: (id, options) => link.with(options.signal, ({calls}) => calls.remove(id, options)),
    volumes: (labels, options) => link.with(options.signal, ({calls}) => calls.volumes(labels, options)),
    removeVolume: (name, options) => link.with(options.signal, ({calls}) => calls.removeVolume(name, options)),
    networks: (labels, options) => link.with(options.signal, ({calls}) => calls.networks(labels, options)),
    createNetwork: (name, options) => link.with(options.signal, ({calls}) => calls.createNetwork(name, options)),
    connect: (network, containerId, options) => link.with(options.signal, ({calls}) => calls.connect(network, containerId, options)),
    removeNetwork: (id, options) => link.with(options.signal, ({calls}) => calls.removeNetwork(id, options)),
    logs: (id, options) => link.with(options.signal, ({calls}) => calls.logs(id, options)),
    exec: (id, command, options) => link.with(options.signal, ({calls}) => calls.exec(id, command, options)),
    async openSession(id, command, options) {
      const reached = await link.reach(options.signal)
      const explained = async <T>(call: Promise<T>): Promise<T> => {
        try {
          return await call
        } catch (error) {
          throw link.explain(reached, error, options.signal)
        }
      }
      return explainSession(await explained(reached.calls.openSession(id, command, options)), explained)
    },
    async *events(labels, options) {
      let reached: Link | undefined
      try {
        reached = await link.reach(options.signal)
        yield* reached.calls.events(labels, options)
      } catch (error) {
        if (options.signal.aborted) return
        throw reached === undefined ? error : link.explain(reached, error, options.signal)
      }
    },
  }
}

// What fails while it is talked to is told as what fails before.
function explainSession(session: EngineSession, explained: <T>(call: Promise<T>) => Promise<T>): EngineSession {
  const pieces = session.output[Symbol.asyncIterator]()
  return {
    ...session,
    exitCode: () => explained(session.exitCode()),
    output: {[Symbol.asyncIterator]: () => ({next: () => explained(pieces.next()), return: async () => (await pieces.return?.()) ?? {done: true, value: undefined}})},
  }
}

function filesOf({runner, subject, place, facts}: Link): FilePlace {
  return {runner, subject, folder: facts.folder, sudo: place.sudo}
}
