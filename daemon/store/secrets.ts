import {createCipheriv, createDecipheriv, randomBytes} from 'node:crypto'
import {Fault} from '../../src/contract/faults.js'
import type {InstanceKey, InstanceKeys} from './instance-key.js'

/** Seals secrets for the store. The context, `collection/id/field`, is part of the seal: a value moved elsewhere does not open. */
export interface Sealer {
  seal(text: string, context: string): string
  open(sealed: string, context: string): string
  /** The same value under the current key, without opening it; itself where it is already. */
  rewrap(sealed: string): string
}

const algorithm = 'aes-256-gcm'
const keyLength = 32
const ivLength = 12
const tagLength = 16
// `v1.<key id>.<wrapped data key>.<sealed text>`, the last two in base64url.
const version = 'v1'
const wrapContext = 'data key'

export function createSealer(keys: InstanceKeys): Sealer {
  const known = new Map([keys.current, ...keys.older].map(key => [key.id, key]))
  const wrap = (dataKey: Buffer) => encrypt(keys.current.bytes, dataKey, wrapContext).toString('base64url')
  const unwrap = ({keyId, wrapped}: Sealed): Buffer => decrypt(keyOf(known, keyId).bytes, wrapped, wrapContext)
  return {
    seal(text, context) {
      const dataKey = randomBytes(keyLength)
      return [version, keys.current.id, wrap(dataKey), encrypt(dataKey, Buffer.from(text), context).toString('base64url')].join('.')
    },
    open(sealed, context) {
      const parts = parseSealed(sealed)
      return decrypt(unwrap(parts), parts.content, context).toString()
    },
    rewrap(sealed) {
      const parts = parseSealed(sealed)
      if (parts.keyId === keys.current.id) return sealed
      return [version, keys.current.id, wrap(unwrap(parts)), parts.content.toString('base64url')].join('.')
    },
  }
}

interface Sealed {
  readonly keyId: string
  readonly wrapped: Buffer
  readonly content: Buffer
}

function parseSealed(sealed: string): Sealed {
  const [found, keyId, wrapped, content, ...more] = sealed.split('.')
  if (found !== version || keyId === undefined || wrapped === undefined || content === undefined || more.length > 0) throw doesNotOpen()
  return {keyId, wrapped: Buffer.from(wrapped, 'base64url'), content: Buffer.from(content, 'base64url')}
}

function keyOf(known: ReadonlyMap<string, InstanceKey>, id: string): InstanceKey {
  const key = known.get(id)
  if (key !== undefined) return key
  throw new Fault('CONFIGURATION', `a stored secret was sealed with the secret key ${id}, which is not here: give it with MOORAGE_SECRET_KEY`)
}

function encrypt(key: Buffer, plain: Buffer, context: string): Buffer {
  const iv = randomBytes(ivLength)
  const cipher = createCipheriv(algorithm, key, iv, {authTagLength: tagLength}).setAAD(Buffer.from(context))
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: Buffer, sealed: Buffer, context: string): Buffer {
  if (sealed.length < ivLength + tagLength) throw doesNotOpen()
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, ivLength), {authTagLength: tagLength})
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-tagLength))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(ivLength, -tagLength)), decipher.final()])
  } catch (error) {
    throw doesNotOpen(error)
  }
}

/** Says nothing of the value: it may be a secret that was stored in clear by mistake. */
function doesNotOpen(cause?: unknown): Fault {
  return new Fault('INTERNAL', 'a stored secret does not open: it was changed, or it belongs to another record', {cause})
}
