// A whole daemon as a process of its own, bundled and run by tests that kill it: settings from the environment, address on stdout.
import {startDaemonFrom} from '../../daemon/main.js'
import {holdAfterUp} from '../daemon/projects/deployments/hold-after-up.js'

const stopping = new AbortController()
process.once('SIGTERM', () => stopping.abort())
const gate = process.env['MOORAGE_TEST_GATE']
const daemon = await startDaemonFrom({}, process.env, {signal: stopping.signal, ...(gate !== undefined && {afterHealthy: holdAfterUp(gate)})})
process.stdout.write(`${daemon.url}\n`)
await daemon.done
