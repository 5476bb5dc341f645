import {Fault} from '../../../src/contract/faults.js'
import type {CarriedOut, CarryOutParts} from './carry-out.js'
import type {DeploymentInHand} from './deployment-run.js'
import {describeEngine, prepareContext} from './prepare-context.js'
import {findOpenRelease} from './release-book.js'
import {startRelease} from './start-release.js'
import {untilComposeIsDone} from './until-compose-is-done.js'

/** Goes on with a deployment that was cut off while its services were being replaced. What is there already is left as it is; the rest is done again. */
export async function resumeSwitch(parts: CarryOutParts, run: DeploymentInHand): Promise<CarriedOut> {
  const {deployment, book, log, signals} = run
  log.begin('deploy')
  const context = await prepareContext(parts, {...run, signal: signals.late})
  log.line(`look at the server: ${describeEngine(context)}`)
  await untilComposeIsDone(parts, context, signals.late)
  const own = await findOpenRelease(parts.store, parts.sealer, deployment.id)
  const release = own ?? context.active
  if (release === null) throw new Fault('INTERNAL', 'the release that was being started is not stored')
  await book.patch({status: 'deploying'})
  const changed = new Set(release.services.filter(({changedIn}) => changedIn === deployment.id).map(({serviceId}) => serviceId))
  await startRelease(parts, run, {context, release, changed})
  return {context, release, isSame: own === undefined}
}
