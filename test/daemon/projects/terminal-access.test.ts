import {once} from 'node:events'
import {request, type IncomingMessage} from 'node:http'
import {json} from 'node:stream/consumers'
import {expect, it} from 'vitest'
import {addOrganization} from '../apps/app-fixture.js'
import {startTestDaemon, temporaryFolder} from '../start-test-daemon.js'

it('refuses an upgrade as any other request: without a token, with one for reading, of another organization, from another site, of nothing that runs', async () => {
  const home = await temporaryFolder()
  const first = await startTestDaemon({home})
  await first.daemon.stop()
  const stranger = await addOrganization(home, 'stranger')
  const daemon = await startTestDaemon({home})
  const owner = first.token
  const call = async (...words: Parameters<typeof daemon.call>) => (await daemon.call(words[0], words[1], words[2], owner)).body.data
  const readOnly = (await call('POST', '/api/tokens', {name: 'reader', fullAccess: true, readOnly: true})).token as string
  const project = await call('POST', '/api/projects', {name: 'Shop'})
  await call('POST', `/api/projects/${project.id}/services`, {name: 'web', image: 'lab/web:1'})
  const ask = async (token: string | null, headers: Record<string, string> = {}) => {
    const asked = request(`${daemon.daemon.url}/api/projects/${project.id}/services/web/terminal`, {headers: {
      connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', ...(token !== null && {authorization: `Bearer ${token}`}), ...headers,
    }})
    asked.end()
    const [response] = await once(asked, 'response') as [IncomingMessage]
    return [response.statusCode, (await json(response) as {code: string}).code]
  }
  expect(await ask(null)).toEqual([401, 'UNAUTHORIZED'])
  expect(await ask(readOnly)).toEqual([403, 'TOKEN_READ_ONLY'])
  expect(await ask(stranger)).toEqual([404, 'NOT_FOUND'])
  expect(await ask(owner, {origin: 'https://evil.example'})).toEqual([403, 'FORBIDDEN'])
  expect(await ask(owner)).toEqual([400, 'NOTHING_DEPLOYED'])
})
