import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {shortText} from '../../src/cli/app-text.js'
import type {JsonResult} from '../../src/cli/base-command.js'
import {maskCard, printCard} from '../../src/cli/connection-text.js'
import {DeploymentCommand} from '../../src/cli/deployment-command.js'
import {toPrintable} from '../../src/cli/display-width.js'
import {getServer, serverName} from '../../src/cli/find-by-name.js'
import {yesFlag} from '../../src/cli/global-flags.js'
import {getApp} from '../../src/cli/get-app.js'
import {readInstallInput, type InstallInput} from '../../src/cli/install-input.js'
import {chooseSources, connectNeeds, type MetNeed} from '../../src/cli/install-needs.js'
import {readRoutes} from '../../src/cli/install-routes.js'
import {confirmWipe, oldVolumesFlag} from '../../src/cli/old-volumes.js'
import {parsePairs} from '../../src/cli/pairs.js'
import type {Server} from '../../src/contract/server.js'

type App = Awaited<ReturnType<typeof getApp>>

interface Install extends InstallInput {
  readonly app: App['data']
  readonly server: Server | undefined
  readonly needs: readonly MetNeed[]
}

export default class AppsInstall extends DeploymentCommand<typeof AppsInstall> {
  static override summary = 'install an app of the catalog and start it'
  static override description = 'Asks on a terminal for what the app needs; elsewhere flags say it. Secrets are generated. An install that was begun and never deployed is completed. Ends with 0 when it is live, 1 when it is not, and 8 when --timeout came first.'
  static override args = {app: Args.string({description: 'id of the app', required: true})}
  static override flags = {
    name: string({description: 'name of the project; that of the app unless given', helpValue: 'NAME'}),
    set: string({description: 'a value that is asked, or a setting', helpValue: 'KEY=VALUE|SERVICE.KEY=VALUE', multiple: true, multipleNonGreedy: true}),
    server: string({char: 's', description: 'id or name of the server; the machine of the daemon unless given', helpValue: 'SERVER'}),
    domain: string({description: 'host name of a service', helpValue: 'SERVICE=HOST', multiple: true, multipleNonGreedy: true}),
    connect: string({description: 'the project that something the app needs comes from', helpValue: 'NEED=PROJECT', multiple: true, multipleNonGreedy: true}),
    deploy: boolean({description: 'start it', default: true, allowNo: true}),
    'old-volumes': oldVolumesFlag,
    yes: yesFlag,
    wait: boolean({char: 'w', description: 'wait for the end', allowNo: true}),
    reveal: boolean({description: 'show secrets of its connection in plain text'}),
    plain: boolean({description: 'plain lines on a terminal too'}),
    locale: string({description: 'language of texts that come in several', helpValue: 'LOCALE', default: 'en'}),
  }
  static override examples = [
    {description: 'on the machine of the daemon, asking', command: '<%= config.bin %> <%= command.id %> umami'},
    {description: 'in a script', command: '<%= config.bin %> <%= command.id %> vaultwarden --server web-1 --name Vault --set server.DOMAIN=https://vault.example.com --wait'},
    {description: 'with the database of another project', command: '<%= config.bin %> <%= command.id %> shop --connect database=store'},
  ]
  static override fieldFlags = {name: '--name', config: '--set', changes: '--set', serverId: '--server', routes: '--domain', envKey: '--connect', outputId: '--connect'}

  async run(): Promise<JsonResult> {
    const {data: app, draft} = await getApp(this.api, this.args.app, this.signal)
    if (app.kind === 'flow') return this.#openFlow(app)
    await confirmWipe(this.prompts, this.flags)
    const server = this.flags.server === undefined ? undefined : await getServer(this.api, this.flags.server, this.signal)
    const {api, signal, prompts, out} = this
    await this.#warnOfHost(app, server)
    const needs = await chooseSources(app, {api, signal, prompts, out, given: parsePairs(this.flags.connect ?? [], '--connect')})
    const isBegun = draft !== null && draft.name === (this.flags.name ?? app.name)
    const input = await readInstallInput(app, {values: parsePairs(this.flags.set ?? [], '--set'), isBegun}, {prompts, out})
    const project = await this.#create({app, server, needs, ...input})
    return this.flags.deploy ? this.#start(project) : this.#leave(project)
  }

  async #openFlow(app: App['data']): Promise<JsonResult> {
    const {data} = await this.api.appProjects.install({body: {templateId: app.id}}, {signal: this.signal})
    const flowHref = data.kind === 'flow' ? data.flowHref : null
    this.out.note(`${toPrintable(app.name)} is set up on a page of its own; nothing was created`)
    this.log(flowHref ?? '/')
    return {app: app.id, flowHref}
  }

  async #warnOfHost({id, name}: App['data'], server: Server | undefined): Promise<void> {
    const {data} = await this.api.apps.hostFit({params: {id}, query: server === undefined ? {} : {serverId: server.id}}, {signal: this.signal})
    const host = server === undefined ? 'the machine of the daemon' : serverName(server)
    if (!data.fit.ok) this.out.warn(`${host} has less than ${name} recommends: ${shortText(data.fit)}; it is installed all the same`)
  }

  async #create({app, server, needs, config, changes}: Install): Promise<{readonly id: string; readonly slug: string}> {
    const {name, domain} = this.flags
    const routes = domain === undefined ? undefined : readRoutes(app, domain)
    const body = {templateId: app.id, config: {...config}, ...(name !== undefined && {name}), ...(server !== undefined && {serverId: server.id}), ...(routes !== undefined && {routes})}
    const {data} = await this.api.appProjects.install({body}, {signal: this.signal})
    if (data.kind === 'flow') throw new Error(`${app.id} is no template any more`)
    const project = {id: data.projectId, slug: data.slug}
    this.out.note(`project ${project.slug} (${project.id}) is there`)
    const {api, out, signal} = this
    if (changes.length > 0) await api.appProjects.changeSettings({params: {id: project.id}, body: {changes}}, {signal})
    await connectNeeds(project.id, needs, {api, out, signal})
    return project
  }

  async #leave({id, slug}: {readonly id: string; readonly slug: string}): Promise<JsonResult> {
    this.log(slug)
    this.out.note(`start it with: ${this.config.bin} deploy ${slug}`)
    return {project: id, slug, deployment: null}
  }

  async #start({id, slug}: {readonly id: string; readonly slug: string}): Promise<JsonResult> {
    const {'old-volumes': oldVolumes} = this.flags
    const {data} = await this.api.deployments.create({body: {projectId: id, trigger: 'app', ...(oldVolumes !== undefined && {oldVolumes})}}, {signal: this.signal})
    this.announce(data.deployment_id, `installs ${slug}`)
    if (!this.waits(this.flags.wait)) {
      this.log(data.deployment_id)
      this.out.note(`follow it with: ${this.config.bin} deployments watch ${data.deployment_id}`)
      return {project: id, slug, deployment: data.deployment}
    }
    const deployment = await this.finish(data.deployment_id, {plain: this.flags.plain})
    const {data: card} = await this.api.appProjects.connection({params: {id}}, {signal: this.signal})
    const shown = this.flags.reveal ? card : maskCard(card)
    printCard(this.out, shown, this.flags.locale)
    if (!this.flags.reveal && card.outputs.some(({secret}) => secret)) this.out.note(`${this.config.bin} apps connection ${slug} --reveal shows the secrets`)
    return {project: id, slug, deployment, connection: shown}
  }
}
