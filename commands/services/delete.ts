import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {yesFlag} from '../../src/cli/global-flags.js'
import {getServiceOf, hasFiles, type FoundService} from '../../src/cli/service-ref.js'

export default class ServicesDelete extends BaseCommand<typeof ServicesDelete> {
  static override summary = 'delete a service: its container is stopped and removed; volumes stay unless --volumes is given'
  static override args = {service: Args.string({description: 'PROJECT/SERVICE; the project alone where it has one service', required: true})}
  static override flags = {
    volumes: boolean({description: 'delete the volumes that no other service mounts too, with all data'}),
    'dry-run': boolean({description: 'show what would go and what would stay, and change nothing'}),
    yes: yesFlag,
  }
  static override examples = [
    {description: 'see what would go', command: '<%= config.bin %> <%= command.id %> shop/cache --dry-run'},
    {description: 'delete without a question', command: '<%= config.bin %> <%= command.id %> shop/cache --yes'},
  ]

  async run(): Promise<object> {
    const {volumes: wipeVolumes, 'dry-run': dryRun, yes} = this.flags
    const found = await getServiceOf(this.api, this.args.service, this.signal)
    const {project, service, params} = found
    const name = `${project.slug}/${service.name}`
    const {containers, volumes} = await this.#plan(found)
    for (const container of containers) this.out.note(`container ${container.slice(0, 12)} goes`)
    for (const volume of volumes) this.out.note(wipeVolumes ? `volume ${volume} goes, unless another service mounts it` : `volume ${volume} stays`)
    if (hasFiles(project)) this.out.warn(`where the Compose file of its source names ${service.name}, the next deployment makes it again`)
    if (dryRun) {
      this.out.print(`${name} would be deleted`)
      return {id: service.id, deleted: false, containers, volumes}
    }
    await this.prompts.confirm(`Delete the service ${name}${wipeVolumes ? ' with its data' : ''}?`, yes)
    await this.api.services.delete({params, query: wipeVolumes ? {wipeVolumes: 'true'} : {}}, {signal: this.signal})
    this.log(containers.length === 0 ? `${name} is deleted; no container of it was there` : `${name} is deleted, and its container is gone`)
    return {id: service.id, deleted: true, containers, volumes}
  }

  async #plan({project, service}: FoundService): Promise<{containers: string[]; volumes: string[]}> {
    const {containers} = await this.api.services.containers({params: {id: project.id}}, {signal: this.signal})
    const own = containers.filter(({serviceId}) => serviceId === service.id).flatMap(({containerId, duplicates}) => [...(containerId === null ? [] : [containerId]), ...duplicates])
    const volumes = service.volumes.flatMap((text) => (/^[a-zA-Z0-9][\w.-]*:/.test(text) ? [text.slice(0, text.indexOf(':'))] : []))
    return {containers: own, volumes}
  }
}
