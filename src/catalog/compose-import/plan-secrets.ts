import type {DraftService} from './draft-service.js'
import type {Binding, FieldPlan, Site} from './field-plan.js'
import type {ImportContext} from './import-context.js'
import {resolveParts, resolveReference} from './interpolation.js'
import {labelOf} from '../name-texts.js'
import {hasForm, isOutsideName, isSecretName, looksSecret, wordsOf} from './secret-names.js'
import {findUses, literalText, wholeReference, type VariableUses} from './variable-uses.js'

export interface Bindings {
  readonly variables: Map<string, Binding>
  /** By the text that stood in the Compose file. */
  readonly literals: Map<string, Binding>
}

interface Secret {
  readonly variable: string | undefined
  readonly sites: Site[]
  /** What it was in the Compose file, where that is known. */
  readonly value: string
  readonly uses: VariableUses | undefined
}

/** Finds what is a secret by its name and gives each a config field or a setting; a value that stands twice stays one value. */
export function planSecrets(services: readonly DraftService[], plan: FieldPlan, context: ImportContext, forced: ReadonlySet<string>): Bindings {
  const bindings: Bindings = {variables: new Map(), literals: new Map()}
  for (const secret of findSecrets(services, context, forced)) {
    const binding = bindSecret(secret, services, plan, context)
    if (binding === undefined) continue
    if (secret.variable !== undefined) bindings.variables.set(secret.variable, binding)
    // A default stands for its variable where it was written out elsewhere.
    if (secret.value !== '' && !bindings.literals.has(secret.value)) bindings.literals.set(secret.value, binding)
  }
  return bindings
}

function findSecrets(services: readonly DraftService[], {variables}: ImportContext, forced: ReadonlySet<string>): Secret[] {
  const uses = findUses(services)
  const secrets = new Map<string, Secret>()
  const get = (id: string, made: Omit<Secret, 'sites'>): Secret => {
    const found = secrets.get(id) ?? {...made, sites: []}
    secrets.set(id, found)
    return found
  }
  for (const {name: service, environment} of services) {
    for (const {key, parts} of environment) {
      const [reference, literal] = [wholeReference(parts), literalText(parts)]
      const value = resolveParts(parts, variables).text
      if (reference !== undefined) {
        const isSecret = forced.has(reference.name) || ((isSecretName(key) || isSecretName(reference.name)) && (value === '' || looksSecret(value)))
        if (isSecret) get(`$${reference.name}`, {variable: reference.name, value, uses: uses.get(reference.name)}).sites.push({service, key})
      } else if (literal !== undefined && isSecretName(key) && looksSecret(literal)) {
        get(`=${literal}`, {variable: undefined, value, uses: undefined}).sites.push({service, key})
      }
    }
  }
  // Those that only stand inside of other texts.
  for (const use of uses.values()) {
    const value = use.references.map((reference) => resolveReference(reference, variables).text).find((text) => text !== '') ?? ''
    if (forced.has(use.name) || (isSecretName(use.name) && (value === '' || looksSecret(value)))) {
      get(`$${use.name}`, {variable: use.name, value, uses: use})
    }
  }
  return withoutTwins([...secrets.values()])
}

// A text that is written out in one place and the value of a variable in another is one secret: both have to stay the same.
function withoutTwins(secrets: readonly Secret[]): Secret[] {
  const kept = new Map(secrets.map((secret) => [secret, [...secret.sites]]))
  for (const literal of secrets.filter(({variable}) => variable === undefined)) {
    const twins = secrets.filter(({variable, value}) => variable !== undefined && value === literal.value)
    const twin = twins.find(({variable}) => literal.sites.some(({key}) => key === variable)) ?? twins[0]
    if (twin === undefined) continue
    kept.get(twin)?.push(...literal.sites)
    kept.delete(literal)
  }
  return [...kept].map(([secret, sites]) => ({...secret, sites}))
}

function bindSecret(secret: Secret, services: readonly DraftService[], plan: FieldPlan, {notes, variables}: ImportContext): Binding | undefined {
  const {sites, uses, value, variable} = secret
  const users = [...new Set([...sites.map(({service}) => service), ...(uses?.services ?? [])])]
  const name = variable ?? sites[0]?.key ?? 'SECRET'
  const isOptional = uses?.references.every((reference) => reference.operator.endsWith('-') && resolveReference(reference, variables).text === '') === true
  const isOutside = hasForm(value) || (users.length === 1 && (isOptional || isOutsideSecret(secret, services)))
  const [site] = sites
  if (isOutside && site !== undefined && sites.length === 1 && (uses?.references.length ?? 1) === 1) {
    const isNeeded = hasForm(value) || uses?.references.some(({operator}) => operator.endsWith('?')) === true
    const help = hasForm(value) ? 'It has a form of its own; the documentation of the app says how to make one.' : undefined
    plan.addSetting({
      key: site.key, service: site.service, label: labelOf(site.key), type: 'password', secret: true, ...(help !== undefined && {help}), ...(isNeeded && {installStep: true, required: true}),
    })
    const why = `${site.key} is asked for, as ${hasForm(value) ? 'it has a form that is not generated' : 'it comes from somebody else or may be empty'}`
    notes.add({level: 'changed', service: site.service, key: 'environment', why, todo: 'make it a config field with generate: secret, if it can be made up'})
    return undefined
  }
  if (isOutside) return plan.addFields({sites, services: users, name, type: 'password', secret: true})
  return plan.addFields({sites, services: users, name, generate: 'secret', secret: true})
}

// A service that is called like the word is that somebody itself.
function isOutsideSecret({sites, variable, uses}: Secret, services: readonly DraftService[]): boolean {
  const names = [...sites.map(({key}) => key), ...(variable === undefined ? [] : [variable])]
  const own = new Set([...sites.map(({service}) => service), ...(uses?.services ?? [])].flatMap((name) => [name, services.find((service) => service.name === name)?.done.image ?? '']).flatMap(wordsOf))
  return names.some((name) => isOutsideName(name) && !wordsOf(name).some((word) => own.has(word)))
}
