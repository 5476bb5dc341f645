// The built daemon with the settings of the environment, until it is told to stop.
import {startDaemonFrom} from '../../../dist/daemon/main.js'

const stopping = new AbortController()
process.once('SIGTERM', () => stopping.abort())
const daemon = await startDaemonFrom({}, process.env, {signal: stopping.signal, writeLog: () => undefined})
await daemon.done
