/** Somebody does not want the deployment any more. */
export class DeploymentCancelled extends Error {
  override readonly name = 'DeploymentCancelled'

  constructor() {
    super('the deployment was cancelled')
  }
}

/** The daemon stops; the next one goes on. */
export class DeploymentReleased extends Error {
  override readonly name = 'DeploymentReleased'

  constructor() {
    super('the daemon stops')
  }
}
