import type {LintContext} from './lint-context.js'
import {quote} from './quote.js'
import type {Problem, Rule} from './rule.js'

const app = (image: string) => ({app: {services: [{name: 'web', image}]}})

/** Which image a service runs. */
export const imageRules: readonly Rule[] = [
  {
    id: 'image-form', severity: 'error', meaning: 'a text that is no image reference',
    why: 'The container engine refuses it. A reference is [registry/]name[:tag][@digest], the name in lower case.',
    bad: app('https://ghcr.io/example/paste:1.4.2'), good: app('ghcr.io/example/paste:1.4.2'),
    check: (lint) => eachImage(lint, (image) => (readImage(image) === undefined ? `${quote(image)} is no image reference; write one such as ghcr.io/example/paste:1.4.2` : undefined)),
  },
  {
    id: 'image-unpinned', severity: 'warning', meaning: 'an image without a version, or with a tag that moves',
    why: 'What is installed tomorrow is not what was tested today. Pin a version tag or a digest.',
    bad: app('ghcr.io/example/paste:latest'), good: app('ghcr.io/example/paste:1.4.2'),
    check: (lint) => eachImage(lint, unpinned),
  },
  {
    id: 'image-major-only', severity: 'info', meaning: 'an image pinned by its major version only',
    why: 'The tag moves with every minor release. Pin more of the version where that matters.',
    bad: app('postgres:16-alpine'), good: app('postgres:16.4-alpine'),
    check: (lint) => eachImage(lint, majorOnly),
  },
]

export interface ImageReference {
  readonly name: string
  readonly tag: string | undefined
  readonly digest: string | undefined
}

const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const host = '(?:(?:[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+|localhost)(?::\\d+)?|[A-Za-z0-9-]+:\\d+)'
const reference = new RegExp(`^((?:${host}/)?${component}(?:/${component})*)(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}))?$`)

/** Reads an image reference; undefined for what the container engine would refuse. */
export function readImage(image: string): ImageReference | undefined {
  const match = reference.exec(image)
  return match?.[1] === undefined ? undefined : {name: match[1], tag: match[2], digest: match[3]}
}

const moving = new Set(['latest', 'stable', 'main', 'master', 'edge', 'nightly', 'dev', 'develop', 'development', 'unstable', 'canary', 'snapshot'])

/** Why an image may be another one tomorrow; undefined where it may not. */
export function unpinned(image: string): string | undefined {
  const read = readImage(image)
  if (read === undefined || read.digest !== undefined) return undefined
  if (read.tag === undefined) return `${quote(image)} names no version; write a tag such as ${image.length > 60 ? 'example' : image}:1.2.3`
  const isMoving = moving.has(read.tag.toLowerCase()) || /^latest-|-latest$/.test(read.tag)
  return isMoving ? `the tag ${read.tag} moves; pin a version` : undefined
}

function majorOnly(image: string): string | undefined {
  const read = readImage(image)
  if (read?.tag === undefined || read.digest !== undefined || !/^v?\d{1,3}(?:-[A-Za-z].*)?$/.test(read.tag)) return undefined
  return `the tag ${read.tag} moves with every minor release`
}

function eachImage({services}: LintContext, check: (image: string) => string | undefined): Problem[] {
  return services.flatMap(({item: {image}, path}) => {
    const message = image === undefined || image === '' ? undefined : check(image)
    return message === undefined ? [] : [{path: [...path, 'image'], message}]
  })
}
