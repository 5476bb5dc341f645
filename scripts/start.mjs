// npm start: sets up, then runs the daemon in the foreground on a home inside the clone.
import {createServer} from 'node:net'
import {existsSync, readFileSync} from 'node:fs'
import {join, relative, resolve} from 'node:path'
import {pathToFileURL} from 'node:url'
import {root, setUp} from './setup.mjs'

const usualPort = 4400
const portsToTry = 100
const sameMomentMs = 500

function isFree(port, host) {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({port, host, exclusive: true}, () => probe.close(() => resolve(true)))
  })
}

/** The port of the person's choosing, or the first free one. */
async function choosePort(home, environment) {
  const config = join(home, 'config.json')
  const chosen = environment.MOORAGE_PORT || (existsSync(config) && /"port"\s*:/.test(readFileSync(config, 'utf8')))
  if (chosen) return undefined
  for (let port = usualPort; port < usualPort + portsToTry; port++) {
    if (await isFree(port, environment.MOORAGE_HOST || '127.0.0.1')) return String(port)
  }
  return '0'
}

function greeting(daemon, home) {
  const inside = relative(root, home)
  const cli = `MOORAGE_HOME=${inside.startsWith('..') ? home : `./${inside}`} ./bin/run.js`
  const token = daemon.soleToken ?? daemon.firstToken
  return [
    '',
    `Moorage listens on ${daemon.url}`,
    token === null ? `Tokens: ${cli} tokens list` : `Token: ${token}`,
    '',
    'Try, in another terminal, in this folder:',
    `  ${cli} status`,
    `  ${cli} jobs create hello --server local --cron '* * * * *' --command 'echo hello'`,
    `  ${cli} jobs run hello --follow`,
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n')
}

/** The first signal stops in order, another ends at once. npm passes on what the terminal sent already, so the same moment counts once. */
function stopOnSignals(stopping) {
  let firstAt
  for (const name of ['SIGINT', 'SIGTERM']) {
    process.on(name, () => {
      if (firstAt !== undefined && performance.now() - firstAt > sameMomentMs) process.exit(130)
      firstAt ??= performance.now()
      stopping.abort()
    })
  }
}

async function main() {
  process.chdir(root)
  setUp()
  const home = resolve(process.env.MOORAGE_HOME || '.moorage-dev')
  const port = await choosePort(home, process.env)
  const {startDaemonFrom} = await import(pathToFileURL(join(root, 'dist/daemon/main.js')).href)
  const stopping = new AbortController()
  stopOnSignals(stopping)
  const daemon = await startDaemonFrom(port === undefined ? {home} : {home, port}, process.env, {signal: stopping.signal})
  console.log(greeting(daemon, home))
  await daemon.done
}

try {
  await main()
} catch (error) {
  console.error(error.code ? `${error.code}: ${error.message}` : error)
  process.exitCode = 1
}
