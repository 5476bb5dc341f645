import type {appProjectRoutes} from '../../../src/contract/app-projects.js'
import {Fault} from '../../../src/contract/faults.js'
import {allows} from '../../access/decide.js'
import type {Handlers} from '../../http/handlers.js'
import {getProject, projectRef} from '../find-project.js'
import {Projects} from '../records.js'
import {connectProjects, disconnectLink, toLinkView, type ConnectParts} from './connect.js'
import {consumersOf} from './consumers.js'
import {readCard} from './read-card.js'
import {Links} from './records.js'

type Bound = Pick<typeof appProjectRoutes, 'connection' | 'connections' | 'consumers' | 'connect' | 'connectBundle' | 'disconnect'>

/** How projects are used, by people and by each other. */
export function createConnectionHandlers(parts: ConnectParts): Handlers<Bound> {
  const {store} = parts
  return {
    async connection({params}, {principal, signal}) {
      const project = await getProject(store, params.id, principal, 'write')
      const {outputs, ...card} = await readCard(parts, project, {reader: 'people', signal})
      return {data: {...card, outputs: outputs.map(({variants, ...output}) => ({...output, ...(variants !== undefined && {variants: [...variants]})}))}}
    },

    async connections({params}, {principal}) {
      const project = await getProject(store, params.id, principal, 'read')
      const links = await store.find(Links, 'target', [project.id])
      return Promise.all(links.map(async (link) => toLinkView(parts, link, await store.get(Projects, link.sourceProjectId))))
    },

    async consumers({params}, {principal}) {
      const project = await getProject(store, params.id, principal, 'read')
      const seen = (await consumersOf(store, project.id)).filter(({target}) => allows(principal, projectRef(target), 'read'))
      return seen.map(({link: {id, targetProjectId, outputId, envKey, mode}, target}) => ({
        id, targetProjectId, targetName: target.name, targetSlug: target.slug, outputId, envKey, mode,
      }))
    },

    async connect({params, body}, {principal, actor, signal}) {
      const {sourceProjectId, outputId, envKey, mode} = body
      const [connection] = await connectProjects(parts, {targetId: params.id, sourceId: sourceProjectId, items: [{outputId, envKey}], mode, principal, actor, signal})
      if (connection === undefined) throw new Error('one wish makes one link')
      return {data: {connection, requiresRedeploy: true as const}}
    },

    async connectBundle({params, body}, {principal, actor, signal}) {
      const connections = await connectProjects(parts, {targetId: params.id, sourceId: body.sourceProjectId, items: body.items, mode: body.mode, principal, actor, signal})
      return {data: {connections, requiresRedeploy: true as const}}
    },

    async disconnect({params}, {principal, actor}) {
      await store.transaction(async (transaction) => {
        const project = await getProject(transaction, params.id, principal, 'admin')
        const link = await transaction.get(Links, params.linkId)
        if (link?.targetProjectId !== project.id) throw new Fault('NOT_FOUND', 'Not found')
        await disconnectLink(parts, transaction, {link, actor})
      })
      return {ok: true as const}
    },
  }
}
