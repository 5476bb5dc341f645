import type {Service} from '../definition.js'
import type {Reference} from '../../compose/interpolation.js'
import type {DraftService, DraftWords, Parts} from './draft-service.js'
import type {Binding, FieldPlan} from './field-plan.js'
import type {ImportContext} from './import-context.js'
import {resolveReference} from './interpolation.js'
import type {Bindings} from './plan-secrets.js'
import {isSecretName} from './secret-names.js'
import {quoteWord} from './quote-word.js'

export interface BindContext extends ImportContext {
  readonly plan: FieldPlan
  readonly bindings: Bindings
}

/** Writes out the references of one service: placeholders where a definition has them, variables of the container where it has none. */
export class TextBinder {
  readonly #service: DraftService
  readonly #context: BindContext
  readonly #environment = new Map<string, string>()
  readonly #secretEnv = new Set<string>()

  constructor(service: DraftService, context: BindContext) {
    this.#service = service
    this.#context = context
    for (const {key, parts} of service.environment) this.#bindEntry(key, parts)
  }

  /** Complete once every other text of the service was bound. */
  get environment(): Pick<Service, 'environment' | 'secretEnv'> {
    const fields = this.#context.plan.configFields.filter(({service, secret}) => service === this.#service.name && secret === true)
    const secretEnv = [...new Set([...this.#secretEnv, ...fields.map(({key}) => key)])]
    return {
      ...(this.#environment.size > 0 && {environment: Object.fromEntries(this.#environment)}),
      ...(secretEnv.length > 0 && {secretEnv}),
    }
  }

  /** The text of a file, where placeholders work. */
  file(parts: Parts): string {
    return this.#withPlaceholders(parts).text
  }

  /** Words of a command, where none work: a bound value is read from the environment, by a shell where there is none yet. */
  argv({form, words}: DraftWords, before: readonly string[] = []): string[] {
    const texts = words.map((parts) => this.#plain(parts))
    if (!this.hasBound({form, words})) return texts
    const isShell = form === 'shell' || /(?:^|\/)(?:ba|da|a)?sh$/.test([...before, ...texts][0] ?? '')
    if (isShell) return words.map((parts) => this.#shellText(parts))
    this.#context.notes.add({level: 'check', service: this.#service.name, key: 'command', why: 'a secret stands in it, which a shell now reads from the environment', todo: 'check that the image has sh'})
    return ['sh', '-c', `exec ${this.#shellWords(words)}`]
  }

  /** One text that a shell reads. */
  shell(words: DraftWords): string {
    return words.form === 'shell' ? words.words.map((parts) => this.#shellText(parts)).join(' ') : this.#shellWords(words.words)
  }

  hasBound({words}: DraftWords): boolean {
    return words.some((parts, index) => this.#boundIn(parts) || this.#literalIn(parts, words[index - 1]) !== undefined)
  }

  #bindEntry(key: string, parts: Parts): void {
    const written = this.#context.plan.writtenAt({service: this.#service.name, key})
    if (written !== undefined) {
      if (written.value !== undefined) this.#environment.set(key, written.value)
      if (written.isSecret) this.#secretEnv.add(key)
      return
    }
    const {text, isSecret} = this.#withPlaceholders(parts, isSecretName(key))
    this.#environment.set(key, text)
    if (isSecret) this.#secretEnv.add(key)
    else if (/:\/\/[^:@/\s]*:[^@/\s{]+@/.test(text)) {
      this.#secretEnv.add(key)
      this.#context.notes.add({level: 'check', service: this.#service.name, key: 'environment', why: `${key} holds a password that no other service has`, todo: 'make it a config field or a setting'})
    }
  }

  #withPlaceholders(parts: Parts, isSecretKey = false): {text: string; isSecret: boolean} {
    let isSecret = false
    const see = (binding: Binding) => {
      isSecret ||= binding.isSecret
      return `{{config:${binding.field}}}`
    }
    const whole = parts.map((part) => (typeof part === 'string' ? part : this.#resolve(part, see))).join('')
    const exact = isSecretKey ? this.#context.bindings.literals.get(whole) : undefined
    const text = exact === undefined ? replacePasswords(whole, this.#context.bindings.literals, see) : see(exact)
    return {text, isSecret}
  }

  #resolve(reference: Reference, see: (binding: Binding) => string): string {
    const binding = this.#context.bindings.variables.get(reference.name)
    if (binding !== undefined) return reference.operator.endsWith('+') ? this.#resolveAll(reference.argument, see) : see(binding)
    const value = this.#context.variables.get(reference.name)
    const isThere = value !== undefined && (value !== '' || !reference.operator.startsWith(':'))
    if (!isThere && reference.operator.endsWith('-')) return this.#resolveAll(reference.argument, see)
    return resolveReference(reference, this.#context.variables).text
  }

  #resolveAll(parts: Parts, see: (binding: Binding) => string): string {
    return parts.map((part) => (typeof part === 'string' ? part : this.#resolve(part, see))).join('')
  }

  #plain(parts: Parts): string {
    return this.#resolveAll(parts, () => '')
  }

  #boundIn(parts: Parts): boolean {
    let isBound = false
    this.#resolveAll(parts, () => {
      isBound = true
      return ''
    })
    return isBound
  }

  // A known secret behind an option that says so, such as --requirepass; the same text elsewhere may be the name of a user.
  #literalIn(parts: Parts, previous: Parts | undefined): {before: string; binding: Binding} | undefined {
    const [, option, value] = /^(-[^=]+=)(.+)$/s.exec(this.#plain(parts)) ?? [undefined, '', this.#plain(parts)]
    const binding = this.#context.bindings.literals.get(value ?? '')
    const said = option === '' ? this.#plain(previous ?? []) : option
    return binding !== undefined && isSecretOption(said ?? '') ? {before: option ?? '', binding} : undefined
  }

  #shellText(parts: Parts): string {
    return this.#resolveAll(parts, (binding) => `\${${this.#variableFor(binding)}}`)
  }

  #shellWords(words: readonly Parts[]): string {
    return words.map((parts, index) => this.#shellWord(parts, words[index - 1])).join(' ')
  }

  #shellWord(parts: Parts, previous: Parts | undefined): string {
    const literal = this.#literalIn(parts, previous)
    if (literal !== undefined) return `${literal.before === '' ? '' : quoteWord(literal.before)}"$${this.#variableFor(literal.binding)}"`
    const pieces = parts.map((part) => {
      if (typeof part === 'string') return quoteWord(part)
      const bound: string[] = []
      const text = this.#resolve(part, (binding) => {
        bound.push(this.#variableFor(binding))
        return ''
      })
      return bound.length > 0 ? `"$${bound[0] ?? ''}"` : quoteWord(text)
    })
    return pieces.length === 0 ? "''" : pieces.join('')
  }

  // The variable of the container that holds the value; made where there is none.
  #variableFor({field, isSecret}: Binding): string {
    const placeholder = `{{config:${field}}}`
    const own = [...this.#environment].find(([key, text]) => text === placeholder && /^[A-Za-z_][A-Za-z0-9_]*$/.test(key))?.[0]
    if (own !== undefined) return own
    const {plan} = this.#context
    const group = plan.configFields.find(({key}) => key === field)?.generateGroup
    const here = plan.configFields.find(({key, service, generateGroup}) => service === this.#service.name && (key === field || (group !== undefined && generateGroup === group)))
    if (here !== undefined) return here.key
    this.#environment.set(field, placeholder)
    if (isSecret) this.#secretEnv.add(field)
    return field
  }
}

function isSecretOption(option: string): boolean {
  return option.startsWith('-') && (option === '-a' || /requirepass|masterauth/.test(option) || isSecretName(option.replace(/=$/, '')))
}

// Only where a password is meant: the same text elsewhere may be the name of a user or of a database.
function replacePasswords(text: string, literals: ReadonlyMap<string, Binding>, see: (binding: Binding) => string): string {
  const replace = (found: string, before: string, password: string) => {
    const binding = literals.get(password) ?? literals.get(decode(password))
    return binding === undefined ? found : `${before}${see(binding)}`
  }
  return text.replace(/(:\/\/[^:@/\s]*:)([^@/\s]+)(?=@)/g, replace).replace(/(\b(?:password|passwd|pwd)=)([^\s;&"']+)/gi, replace)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
