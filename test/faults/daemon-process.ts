// A whole daemon as a process of its own, bundled and run by tests that kill it: settings from the environment, address on stdout.
import {startDaemonFrom} from '../../daemon/main.js'

const stopping = new AbortController()
process.once('SIGTERM', () => stopping.abort())
const daemon = await startDaemonFrom({}, process.env, {signal: stopping.signal})
process.stdout.write(`${daemon.url}\n`)
await daemon.done
