import type {Command} from '@oclif/core/command'
import type {Deployment} from '../contract/deployments.js'
import {BaseCommand, type JsonResult} from './base-command.js'
import {deploymentLine, deploymentOutcome} from './deployment-text.js'
import {requireLive, waitForDeployment} from './wait-for-deployment.js'

export interface FollowDeploymentChoice {
  /** Plain lines on a terminal too. */
  readonly plain: boolean
}

/** What commands share that start a deployment or look at one: the id first, then its end, and the exit code of that. */
export abstract class DeploymentCommand<T extends typeof Command> extends BaseCommand<T> {
  /** Says which deployment it is before anything else, so that a lost session can take it up again. */
  protected announce(id: string, what: string): void {
    this.leftRunning = {what: `deployment ${id}`, command: `deployments watch ${id}`}
    if (!this.jsonEnabled()) this.io.stderr.write(`${id} ${what}\n`)
  }

  /** People and pipelines wait; a script that reads the id does not. */
  protected waits(wished: boolean | undefined): boolean {
    return wished ?? (this.out.terminal || this.environment.ci || this.jsonEnabled())
  }

  /** Follows to the end: a live view on a terminal, the log on stderr elsewhere. Throws unless the deployment is live. */
  protected async finish(id: string, {plain}: FollowDeploymentChoice): Promise<JsonResult> {
    this.leftRunning = {what: `deployment ${id}`, command: `deployments watch ${id}`}
    const ended = this.out.interactive && !plain ? await this.#watch(id) : await this.#print(id)
    this.leftRunning = undefined
    requireLive(ended)
    this.log(deploymentOutcome(ended))
    return ended
  }

  async #watch(id: string): Promise<Deployment> {
    const {openDeploymentView} = await import('./views/open-deployment-view.js')
    const {data} = await this.api.deployments.show({params: {id}}, {signal: this.signal})
    const view = openDeploymentView({io: this.io, colour: this.out.hasColour, hint: 'Ctrl-C stops watching; the deployment goes on', deployment: data})
    try {
      const ended = await waitForDeployment(this.api, id, {signal: this.signal, timeoutMs: this.flags.timeout, onEvent: (event) => view.take(event)})
      view.take({type: 'snapshot', deployment: ended})
      return ended
    } finally {
      await view.end()
    }
  }

  #print(id: string): Promise<Deployment> {
    return waitForDeployment(this.api, id, {
      signal: this.signal, timeoutMs: this.flags.timeout,
      onReconnect: () => this.out.note('the connection was lost; connecting again'),
      onEvent: (event) => {
        if (event.type === 'log' && !this.jsonEnabled()) this.out.note(deploymentLine(event, this.io.stderr.isTTY === true))
      },
    })
  }
}
