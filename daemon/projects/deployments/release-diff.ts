import {diffServices} from '../../../src/compose/diff-services.js'
import type {ComposeService} from '../../../src/compose/compose-model.js'
import type {ComposeRelease} from '../../../src/compose/release.js'
import {writeCompose} from '../../../src/compose/write-compose.js'
import {valueMask} from '../../../src/contract/env-var.js'
import {diffLines} from '../../../src/text/diff-lines.js'
import type {DeploymentRecord} from './records.js'
import type {OpenRelease} from './release-book.js'

export interface ComparedRelease {
  readonly record: Pick<DeploymentRecord, 'id' | 'commitSha'>
  readonly release: OpenRelease
}

interface FieldDiff {
  readonly field: string
  readonly from: string | null
  readonly to: string | null
}

export interface ReleaseDiff {
  readonly services: {service: string; change: 'added' | 'removed' | 'changed'; fields: FieldDiff[]}[]
  readonly compose: string
}

/** What differs between two releases: images, settings and the names of variables; no value of one shows. */
export function diffReleases(from: ComparedRelease, to: ComparedRelease): ReleaseDiff {
  const changes = diffServices(servicesOf(from.release), servicesOf(to.release))
  const services = changes.map(({service, change, fields}) => ({service, change, fields: fields.map(({field, from: was, to: is}) => ({field, from: toText(was), to: toText(is)}))}))
  for (const {service, fields} of imageChanges(from, to)) {
    const known = services.find((one) => one.service === service)
    if (known === undefined) services.push({service, change: 'changed', fields})
    else if (known.change === 'changed') known.fields.unshift(...fields.filter(({field}) => !known.fields.some((one) => one.field === field)))
  }
  const secrets = [...secretsOf(from.release.model), ...secretsOf(to.release.model)].sort((a, b) => b.length - a.length)
  const [before, after] = [from, to].map(({release}) => secrets.reduce((text, secret) => text.replaceAll(secret, valueMask), maskedText(release.model)))
  return {services: services.sort((a, b) => (a.service < b.service ? -1 : 1)), compose: diffLines(before ?? '', after ?? '', {from: from.record.id, to: to.record.id})}
}

function servicesOf({model}: OpenRelease): ComposeService[] {
  return model.services.map(({service, image}) => ({...service, build: null, image}))
}

// A reference may stay while what it names has changed.
function imageChanges(from: ComparedRelease, to: ComparedRelease): {service: string; fields: FieldDiff[]}[] {
  return to.release.services.flatMap((now) => {
    const was = from.release.services.find(({name}) => name === now.name)
    if (was === undefined || was.imageId === now.imageId) return []
    const commits = now.built && from.record.commitSha !== to.record.commitSha ? [{field: 'commit', from: from.record.commitSha, to: to.record.commitSha}] : []
    return [{service: now.name, fields: [{field: 'imageId', from: was.imageId, to: now.imageId}, ...commits]}]
  })
}

function maskedText(model: ComposeRelease): string {
  const services = model.services.map((released) => {
    const environment = Object.fromEntries(Object.entries(released.service.environment).map(([key, value]) => [key, value === '' ? '' : valueMask]))
    return {...released, service: {...released.service, environment}}
  })
  return writeCompose({...model, services})
}

const tellsOfSecret = /pass|pwd|secret|token|key|credential|auth|private|salt|dsn|url/i
const shortest = 6

// People repeat a password of the environment in commands and health checks.
function secretsOf(model: ComposeRelease): string[] {
  return model.services.flatMap(({service}) => Object.entries(service.environment).flatMap(([key, value]) => (tellsOfSecret.test(key) && value.length >= shortest ? [value] : [])))
}

function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
