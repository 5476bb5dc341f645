import {z} from 'zod'

// Pieces that several areas share. Wire schemas hold no transforms: each must have a JSON Schema.

/** An instant, UTC, ISO 8601 with milliseconds and Z. */
export const Instant = z.iso.datetime({precision: 3}).describe('UTC, ISO 8601 with milliseconds')

/** An instant as taken in: ISO 8601 with Z or an offset. */
export const InstantInput = z.iso.datetime({offset: true}).describe('ISO 8601 with Z or an offset')

export const id = (prefix: string) => z.string().min(1).max(200).describe(`id, \`${prefix}_\` and 16 characters`)

export const ServerId = id('srv')
export const ProjectId = id('proj')
export const RunId = id('jrun')

/** `limit` and `cursor` of a list that can grow. */
export function pageQuery(maximum = 200) {
  return {
    limit: z.coerce.number().int().min(1).max(maximum).default(50).describe(`rows a page, 1 to ${maximum}`),
    cursor: z.string().max(500).optional().describe('pageInfo.endCursor of the page before'),
  }
}

/** `page` and `perPage` of the lists that older clients walk by number. */
export const numberedPageQuery = {
  page: z.coerce.number().int().min(1).max(1_000_000).optional().describe('page number from 1; answers total, page and perPage'),
  perPage: z.coerce.number().int().min(1).max(200).optional().describe('rows a page, honoured exactly'),
}

export const PageInfo = z.object({
  hasNextPage: z.boolean(),
  endCursor: z.string().nullable().describe('cursor of the next page, null at the end'),
})
export type PageInfo = z.output<typeof PageInfo>

/** A host key fingerprint as OpenSSH prints it. */
export const HostKeyFingerprint = z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'must have the form SHA256: and 43 base64 characters')
