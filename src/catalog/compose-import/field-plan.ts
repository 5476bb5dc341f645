import type {ConfigField, SettingField} from '../definition.js'
import {labelOf} from '../name-texts.js'

/** An environment entry of a service. */
export interface Site {
  readonly service: string
  readonly key: string
}

/** The config field that holds a value, for {{config:KEY}}. */
export interface Binding {
  readonly field: string
  readonly isSecret: boolean
}

/** What writes an environment entry in place of the environment map. */
export interface Written {
  readonly isSecret: boolean
  /** What the map holds besides, so that a setting has its default from the start. */
  readonly value: string | undefined
}

const keyForm = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The config fields and settings of an import as they come about. */
export class FieldPlan {
  readonly configFields: ConfigField[] = []
  readonly settings: SettingField[] = []
  readonly #written = new Map<string, Written>()
  readonly #keys = new Set<string>()

  writtenAt({service, key}: Site): Written | undefined {
    return this.#written.get(`${service}\n${key}`)
  }

  addSetting(field: SettingField): void {
    this.settings.push(field)
    this.#write(field, {isSecret: field.secret === true, value: field.default === '' ? undefined : field.default})
  }

  /** A value for all these sites. Sites whose key can be that of a field of its own get one of the same group; the others are left to {{config:KEY}}. */
  addFields({sites, services, name, ...rest}: FieldRequest): Binding {
    const free = sites.filter(({key}, index) => keyForm.test(key) && !this.#keys.has(key) && sites.findIndex((site) => site.key === key) === index)
    const isGenerated = rest.generate !== undefined
    const own = isGenerated ? free : free.slice(0, 1)
    const first: Site = own[0] ?? {service: services[0] ?? '', key: this.#freeKey(name, services[0] ?? '')}
    const all = own.length > 0 ? own : [first]
    for (const site of all) {
      this.#keys.add(site.key)
      this.configFields.push({key: site.key, service: site.service, label: labelOf(site.key), ...rest, ...(all.length > 1 && {generateGroup: first.key.toLowerCase()})})
      this.#write(site, {isSecret: rest.secret === true, value: undefined})
    }
    return {field: first.key, isSecret: rest.secret === true}
  }

  // Values are found by key alone, so no two fields share one.
  #freeKey(name: string, service: string): string {
    const key = name.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^(?=\d|$)/, '_')
    const candidates = [key, `${service.toUpperCase().replace(/[^A-Z0-9_]+/g, '_')}_${key}`.replace(/^(?=\d)/, '_')]
    const free = candidates.find((candidate) => !this.#keys.has(candidate))
    if (free !== undefined) return free
    for (let number = 2; ; number += 1) if (!this.#keys.has(`${key}_${number}`)) return `${key}_${number}`
  }

  #write({service, key}: Site, written: Written): void {
    this.#written.set(`${service}\n${key}`, written)
  }
}

export interface FieldRequest extends Pick<ConfigField, 'generate' | 'secret' | 'type' | 'default' | 'required' | 'help'> {
  readonly sites: readonly Site[]
  /** Every service that uses it. */
  readonly services: readonly string[]
  /** What the key is made of where no site gives one. */
  readonly name: string
}
