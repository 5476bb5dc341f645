import {Fault, invalidInput} from '../../src/contract/faults.js'
import type {projectRoutes} from '../../src/contract/projects.js'
import {toInstant} from '../clock.js'
import type {Handlers} from '../http/handlers.js'
import {getProject} from './find-project.js'
import type {ProjectParts} from './handlers.js'
import {Projects} from './records.js'
import {deployKeyContext, gitPasswordContext} from './sealed-fields.js'

/** How a project gets at its repository: a key of its own for SSH, a login for HTTP. */
export function createDeployKeyHandlers({store, clock, sealer, recordEvent}: ProjectParts): Handlers<Pick<typeof projectRoutes, 'deployKey'>> {
  return {
    async deployKey({params, body}, {principal, actor}) {
      const {privateKey, gitUsername, gitPassword} = body
      const wantsKey = privateKey !== undefined || (gitUsername === undefined && gitPassword === undefined)
      const key = wantsKey ? await (privateKey === undefined ? makeKey() : readKey(privateKey)) : null
      await store.transaction(async (transaction) => {
        const project = await getProject(transaction, params.id, principal, 'write')
        await transaction.put(Projects, {
          ...project,
          ...(key !== null && {deployKey: sealer.seal(key.privateKey, deployKeyContext(project.id))}),
          ...(gitUsername !== undefined && {gitUsername}),
          ...(gitPassword !== undefined && {gitPassword: gitPassword === '' ? null : sealer.seal(gitPassword, gitPasswordContext(project.id))}),
          updatedAt: toInstant(clock.now()),
        })
        await recordEvent(transaction, {
          type: 'project.updated', organizationId: project.organizationId, resourceType: 'project', resourceId: project.id, actor,
          payload: {after: {repositoryAccess: key === null ? 'login' : 'deploy key'}},
        })
      })
      return {data: {publicKey: key?.publicKey ?? null}}
    },
  }
}

interface KeyPair {
  readonly privateKey: string
  readonly publicKey: string
}

async function makeKey(): Promise<KeyPair> {
  const {default: ssh2} = await import('ssh2')
  const made = ssh2.utils.generateKeyPairSync('ed25519', {comment: 'moorage deploy key'})
  return {privateKey: made.private, publicKey: made.public}
}

async function readKey(text: string): Promise<KeyPair> {
  const {default: ssh2} = await import('ssh2')
  const parsed = ssh2.utils.parseKey(text)
  if (parsed instanceof Error) throw invalidInput([{path: '/privateKey', message: 'is not a private key without a passphrase, in OpenSSH or PEM form'}])
  if (!parsed.isPrivateKey()) throw invalidInput([{path: '/privateKey', message: 'is not a private key'}])
  const secret: string | null = parsed.getPrivatePEM()
  if (secret === null) throw new Fault('INTERNAL', 'the key was read and can not be written')
  return {privateKey: text.trimEnd() + '\n', publicKey: `${parsed.type} ${parsed.getPublicSSH().toString('base64')} moorage deploy key`}
}
