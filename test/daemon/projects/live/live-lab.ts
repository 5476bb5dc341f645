import {randomBytes} from 'node:crypto'
import type {AddressInfo} from 'node:net'
import {onTestFinished} from 'vitest'
import {deploymentRoutes} from '../../../../src/contract/deployments.js'
import {projectRoutes} from '../../../../src/contract/projects.js'
import {serviceRoutes} from '../../../../src/contract/services.js'
import {tokenRoutes} from '../../../../src/contract/tokens.js'
import {ensureFirstStart} from '../../../../daemon/access/first-start.js'
import {createTokenHandlers} from '../../../../daemon/access/token-handlers.js'
import {TokenUse} from '../../../../daemon/access/token-use.js'
import {systemClock, toInstant} from '../../../../daemon/clock.js'
import {collections} from '../../../../daemon/collections.js'
import {createRecordEvent} from '../../../../daemon/events/event-log.js'
import {bindRoutes, createHttpServer} from '../../../../daemon/http/http-server.js'
import {createLiveHandlers} from '../../../../daemon/projects/service-live.js'
import {createServiceEnvHandlers} from '../../../../daemon/projects/service-env-handlers.js'
import {createServiceHandlers} from '../../../../daemon/projects/service-handlers.js'
import {createProjectRuntime, type RuntimeParts} from '../../../../daemon/projects/runtime.js'
import type {WatchWaits} from '../../../../daemon/projects/live/server-watch.js'
import {startProjects} from '../../../../daemon/projects/start-projects.js'
import type {Engine} from '../../../../daemon/servers/engine/engine.js'
import {addLocalServer} from '../../../../daemon/servers/local-server.js'
import {openFileStore} from '../../../../daemon/store/file-store.js'
import {openOutputFiles} from '../../../../daemon/store/output-files.js'
import {createSealer} from '../../../../daemon/store/secrets.js'
import type {Store} from '../../../../daemon/store/store.js'
import {caller, temporaryFolder, type TestDaemon} from '../../start-test-daemon.js'
import {recordingLog} from '../../store/store-fixture.js'
import type {TestEngine} from '../../servers/engine/engine-fixture.js'

export interface LiveDaemon extends Pick<TestDaemon, 'call' | 'token'> {
  readonly url: string
  readonly home: string
  readonly store: Store
  readonly engine: Engine
  readonly parts: RuntimeParts
  /** Makes a project of the services, deploys it, and answers once it is served. */
  deploy(name: string, services: readonly Record<string, unknown>[]): Promise<{readonly projectId: string; readonly deploymentId: string}>
  redeploy(projectId: string): Promise<string>
}

export interface LiveOptions {
  readonly limits?: RuntimeParts['limits']
  readonly engine?: (real: Engine) => Engine
  readonly watchWaits?: Partial<WatchWaits>
}

/** The projects area with its store and its routes, where every server is one engine of the lab. */
export async function startLiveDaemon({engine: real, runner}: Pick<TestEngine, 'engine' | 'runner'>, options: LiveOptions = {}): Promise<LiveDaemon> {
  const home = await temporaryFolder()
  const clock = systemClock
  const log = recordingLog()
  const {store} = await openFileStore({home, collections, clock, log, release: '0.0.0'})
  onTestFinished(() => store.close())
  const outputs = openOutputFiles(home)
  onTestFinished(() => outputs.close())
  const sealer = createSealer({current: {id: 'test', bytes: randomBytes(32)}, older: []})
  const onOrganization = (transaction: Parameters<typeof addLocalServer>[0], organizationId: string) => addLocalServer(transaction, organizationId, toInstant(clock.now()))
  const first = await ensureFirstStart({store, clock, home, tokenPrefix: 'moor', bootstrapToken: undefined, onOrganization})
  const recordEvent = createRecordEvent(clock)
  const engine = options.engine?.(real) ?? real
  const engines = {engineFor: async () => engine}
  const parts: RuntimeParts = {store, outputs, clock, sealer, engines, recordEvent, sources: {forget: async () => undefined}, ...(options.limits && {limits: options.limits})}
  const refuse = (): never => {
    throw new Error('no source in this test')
  }
  const sources = {fetchGit: refuse, listBranches: refuse, listCommits: refuse, openUpload: refuse, openFolder: refuse, openFiles: refuse, forget: refuse}
  const projects = startProjects({...parts, log, runnerFor: async () => runner, sources, runtime: createProjectRuntime(parts), limits: {settleMs: 200}, ...(options.watchWaits && {watchWaits: options.watchWaits})})
  await projects.start()
  onTestFinished(() => projects.stop())
  const tokenUse = new TokenUse(store, clock)
  const {server, streams} = await createHttpServer({store, clock, log, tokenUse, cloud: false, limitLoopback: false}, [
    ...bindRoutes(projectRoutes, projects.handlers.projects),
    ...bindRoutes(deploymentRoutes, projects.handlers.deployments),
    ...bindRoutes(tokenRoutes, createTokenHandlers({store, use: tokenUse, rules: {clock, tokenPrefix: 'moor', cloud: false, resourceExists: async () => true}, recordEvent})),
    ...bindRoutes(serviceRoutes, {...createServiceHandlers(parts), ...createServiceEnvHandlers(parts), ...createLiveHandlers(parts)}),
  ])
  onTestFinished(async () => {
    streams.close()
    await server.close()
    await tokenUse.flush()
  })
  await server.listen({host: '127.0.0.1', port: 0})
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  const token = first.firstToken ?? ''
  const call = caller(url, token)
  const redeploy = async (projectId: string) => {
    const {body} = await call('POST', '/api/deployments', {projectId})
    const id = body.data?.deployment_id as string
    if (id === undefined) throw new Error(JSON.stringify(body))
    await untilEnded(store, call, id)
    return id
  }
  return {
    url, home, token, store, engine, parts, call, redeploy,
    async deploy(name, services) {
      const {body} = await call('POST', '/api/projects', {name, projectType: 'services'})
      const projectId = body.data.id as string
      for (const service of services) {
        const answer = await call('POST', `/api/projects/${projectId}/services`, service)
        if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      }
      return {projectId, deploymentId: await redeploy(projectId)}
    },
  }
}

async function untilEnded(store: Store, call: TestDaemon['call'], id: string): Promise<void> {
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      const stop = store.onCommit(() => {
        stop()
        resolve()
      })
    })
    const {data} = (await call('GET', `/api/deployments/${id}`)).body
    if (data.status === 'ready' || data.status === 'no_changes') return
    if (['failed', 'cancelled'].includes(data.status)) throw new Error(`the deployment ${data.status}: ${data.errorMessage}`)
    await changed
  }
}
