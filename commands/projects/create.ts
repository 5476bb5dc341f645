import {stat} from 'node:fs/promises'
import path from 'node:path'
import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {findProject} from '../../src/cli/find-by-name.js'
import {projectFieldFlags, projectFlags, readProject} from '../../src/cli/project-flags.js'
import {uploadFolder} from '../../src/cli/upload-folder.js'
import {Fault} from '../../src/contract/faults.js'
import type {Project} from '../../src/contract/project.js'

type Fields = Awaited<ReturnType<typeof readProject>> & {readonly slug?: string; readonly projectType?: Project['projectType']}

export default class ProjectsCreate extends BaseCommand<typeof ProjectsCreate> {
  static override summary = 'create a project'
  static override description = 'Nothing runs until it is deployed. What it is made of is one of --git, --compose, --image and --folder; the folder of this machine is sent by: deploy FOLDER'
  static override args = {name: Args.string({description: 'name of the project', required: true})}
  static override flags = {
    slug: string({description: 'short name for addresses; made from the name unless given'}),
    type: string({description: 'kind of project', options: ['app', 'docker', 'services', 'monorepo']}),
    git: string({description: 'repository to deploy from, over https or ssh', helpValue: 'URL', exclusive: ['compose', 'image', 'folder']}),
    compose: string({description: 'Compose file of this machine; its folder is sent along', helpValue: 'FILE', exclusive: ['git', 'image', 'folder', 'branch', 'compose-file', 'dockerfile', 'root-directory']}),
    ...projectFlags,
  }
  static override examples = [
    {description: 'from a repository', command: '<%= config.bin %> <%= command.id %> shop --git https://git.example.com/acme/shop.git --server web-1'},
    {description: 'with the Compose file that it holds', command: '<%= config.bin %> <%= command.id %> shop --git git@git.example.com:acme/shop.git --branch release --compose-file deploy/compose.yml'},
    {description: 'from a Compose file of this machine', command: '<%= config.bin %> <%= command.id %> shop --compose ./compose.yml --server web-1'},
    {description: 'of one image', command: '<%= config.bin %> <%= command.id %> cache --image redis:8 --port 6379'},
  ]
  static override fieldFlags = {...projectFieldFlags, name: 'NAME', slug: '--slug', projectType: '--type', gitUrl: '--git'}

  async run(): Promise<object> {
    const {slug, type, git, compose, branch, submodules} = this.flags
    if (git === undefined && (branch !== undefined || submodules !== undefined)) throw new Fault('USAGE', `--${branch === undefined ? 'submodules' : 'branch'} is of a repository: give --git, too`)
    const projectType = (['app', 'docker', 'services', 'monorepo'] as const).find((known) => known === type)
    const fields = {...(await readProject(this.api, this.flags, this.signal)), ...(slug !== undefined && {slug}), ...(projectType !== undefined && {projectType})}
    const data = compose === undefined ? await this.#create(fields, git) : await this.#upload(fields, compose)
    this.log(`${data.name} is created: ${data.id}`)
    this.out.note(`deploy it with: ${this.config.bin} deploy ${data.slug}`)
    return data
  }

  async #create(fields: Fields, git: string | undefined): Promise<Project> {
    const body = {
      name: this.args.name,
      ...fields,
      ...(git !== undefined && {gitUrl: git, sourceKind: 'git' as const, gitBranch: fields.gitBranch ?? null}),
      ...(git === undefined && fields.image !== undefined && {sourceKind: 'image' as const}),
    }
    return (await this.api.projects.create({body}, {signal: this.signal})).data
  }

  async #upload(fields: Fields, compose: string): Promise<Project> {
    const {name} = this.args
    const file = path.resolve(compose)
    if (!(await stat(file).then((stats) => stats.isFile(), () => false))) throw new Fault('USAGE', `there is no file ${file}`, {details: {file}})
    // Known before a folder is sent for nothing.
    if ((await findProject(this.api, name, this.signal)) !== undefined) throw new Fault('PROJECT_EXISTS', `a project ${name} is there already`, {suggestions: [`deploy ${path.dirname(compose)} --project ${name}`]})
    const composePath = path.basename(file)
    const {sessionId: uploadSessionId} = await uploadFolder(this.api, {folder: path.dirname(file), name, keep: [composePath, '.env'], signal: this.signal}, this.out)
    const {project_id: id} = await this.api.uploads.ensure({body: {name, ...fields, composePath, uploadSessionId}}, {signal: this.signal})
    return (await this.api.projects.show({params: {id}}, {signal: this.signal})).data
  }
}
