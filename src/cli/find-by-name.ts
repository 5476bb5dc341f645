import type {Client} from '../client/client.js'
import {Fault} from '../contract/faults.js'
import type {Member} from '../contract/members.js'
import type {Project} from '../contract/project.js'
import type {Server} from '../contract/server.js'
import type {Token} from '../contract/tokens.js'
import {collectPages} from './list-pages.js'

// People name things; the API wants ids. An id wins over a name that looks like one.

export async function getServer(api: Client, name: string, signal: AbortSignal): Promise<Server> {
  return pickServer(await api.servers.list({}, {signal}), name)
}

export async function getServers(api: Client, names: readonly string[], signal: AbortSignal): Promise<Server[]> {
  if (names.length === 0) return []
  const servers = await api.servers.list({}, {signal})
  return names.map((name) => pickServer(servers, name))
}

export function pickServer(servers: readonly Server[], name: string): Server {
  return pick(servers, name, {kind: 'server', list: 'servers list', namesOf: (server) => [server.name, ...(server.isLocal ? ['local'] : []), server.sshHost]})
}

/** How people call a server. */
export function serverName(server: Pick<Server, 'id' | 'name' | 'sshHost' | 'isLocal'>): string {
  return server.name ?? (server.isLocal ? 'local' : server.sshHost)
}

const projectNaming: Naming<Project> = {kind: 'project', list: 'projects list', namesOf: (project) => [project.slug, project.name]}

export async function getProject(api: Client, name: string, signal: AbortSignal): Promise<Project> {
  return pickProject(await allProjects(api, signal), name)
}

export function pickProject(projects: readonly Project[], name: string): Project {
  return pick(projects, name, projectNaming)
}

/** Throws only where several are called so. */
export async function findProject(api: Client, name: string, signal: AbortSignal): Promise<Project | undefined> {
  return find(await allProjects(api, signal), name, projectNaming)
}

async function allProjects(api: Client, signal: AbortSignal): Promise<readonly Project[]> {
  return (await collectPages({all: true}, (query) => api.projects.list({query}, {signal}))).items
}

export async function getMember(api: Client, name: string, signal: AbortSignal): Promise<Member> {
  const {data} = await api.members.list({}, {signal})
  return pick(data, name, {kind: 'member', list: 'members list', namesOf: (member) => [member.email, member.userId, member.name]})
}

export async function getToken(api: Client, name: string, signal: AbortSignal): Promise<Token> {
  const {data} = await api.tokens.list({}, {signal})
  const live = data.filter((token) => token.revokedAt === null || token.id === name)
  return pick(live, name, {kind: 'token', list: 'tokens list', namesOf: (token) => [token.name, token.tokenPrefix]})
}

interface Naming<T> {
  readonly kind: string
  readonly list: string
  /** In the order in which they count. */
  readonly namesOf: (row: T) => readonly (string | null)[]
}

function pick<T extends {readonly id: string}>(rows: readonly T[], name: string, naming: Naming<T>): T {
  const found = find(rows, name, naming)
  if (found !== undefined) return found
  throw new Fault('NOT_FOUND', `no ${naming.kind} ${name}`, {details: {[naming.kind]: name}, suggestions: [naming.list]})
}

function find<T extends {readonly id: string}>(rows: readonly T[], name: string, {kind, list, namesOf}: Naming<T>): T | undefined {
  const byId = rows.find((row) => row.id === name)
  if (byId !== undefined) return byId
  const places = Math.max(0, ...rows.map((row) => namesOf(row).length))
  for (let place = 0; place < places; place += 1) {
    const found = rows.filter((row) => namesOf(row)[place]?.toLowerCase() === name.toLowerCase())
    if (found.length === 1 && found[0] !== undefined) return found[0]
    if (found.length > 1) {
      throw new Fault('CONFLICT', `${found.length} ${kind}s are called ${name}: give the id`, {details: {ids: found.map((row) => row.id)}, suggestions: [list]})
    }
  }
  return undefined
}
