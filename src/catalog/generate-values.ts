import {createHmac} from 'node:crypto'

/** Random bytes, as node:crypto gives them; tests pass their own. */
export type RandomBytes = (size: number) => Uint8Array

/** 32 random bytes as 64 hexadecimal digits. Some images take exactly this form and no other. */
export function generateSecret(random: RandomBytes): string {
  return Buffer.from(random(32)).toString('hex')
}

const tenYearsSeconds = 315_360_000

export interface JwtClaims {
  readonly role: string
  /** The text itself is the key, not the bytes it may stand for. */
  readonly secret: string
  readonly nowMs: number
}

/** A token signed with HS256 that is valid for ten years. */
export function signJwt({role, secret, nowMs}: JwtClaims): string {
  const iat = Math.floor(nowMs / 1000)
  const parts = [{alg: 'HS256', typ: 'JWT'}, {role, iss: 'supabase', iat, exp: iat + tenYearsSeconds}]
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}
