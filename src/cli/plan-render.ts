import {composeVariables, replaceValues, standInFor} from '../catalog/compose-variables.js'
import {toComposeFile, type ComposeFile} from '../catalog/compose-file.js'
import type {AppDefinition, ConfigField} from '../catalog/definition.js'
import type {RandomBytes} from '../catalog/generate-values.js'
import type {EnvironmentRow} from '../catalog/inline-config.js'
import {isEngineOk} from '../catalog/engine-version.js'
import {renderApp, type RenderedApp} from '../catalog/render-app.js'
import type {RenderWarning} from '../catalog/render-service.js'
import type {GivenUrl} from '../catalog/public-urls.js'
import {resolveValues, type ResolvedValues, type StoredValue, type ValueRow} from '../catalog/resolve-values.js'
import {slugify} from '../catalog/route-label.js'
import {version} from '../config/version.js'
import {Fault} from '../contract/faults.js'
import type {GivenValues} from './render-flags.js'

export interface RenderInput {
  readonly definition: AppDefinition
  readonly given: GivenValues
  readonly urls: readonly GivenUrl[]
  readonly host: string | undefined
  readonly name: string
  readonly locale: string
  /** By name, from an earlier output. */
  readonly variables: ReadonlyMap<string, string>
  readonly random: RandomBytes
  readonly nowMs: number
}

export interface RenderPlan {
  /** With everything in it. */
  readonly whole: RenderedApp
  /** With a mask wherever a secret is. */
  readonly masked: RenderedApp
  /** Values that the Compose file takes from the environment, by name. */
  readonly variables: ReadonlyMap<string, string>
  compose(form: 'values' | 'variables'): ComposeFile
}

export const mask = '••••••••'

/** Renders an app once for each way of showing it, from the same values. */
export function planRender(input: RenderInput): RenderPlan {
  const names = new Map(composeVariables(input.definition).map(({name, service, key}) => [`${service}\n${key}`, name]))
  const nameOf = ({service, key}: {service: string; key: string}): string | undefined => names.get(`${service}\n${key}`)
  const {values, settings} = resolveInput(input, nameOf)
  const render = (standIn: (row: ValueRow | EnvironmentRow) => string | undefined): RenderedApp => {
    const rows = {values: {kept: values.kept, rows: replaceValues(values.rows, standIn)}, settings: replaceValues(settings, standIn)}
    const app = renderApp(input.definition, {...rows, slug: slugify(input.name) || 'app', urls: input.urls, host: input.host, locale: input.locale})
    return {...app, warnings: [...installWarnings(input.definition), ...app.warnings]}
  }
  const variables = new Map([...values.rows, ...settings].flatMap((row) => (row.value === '' || nameOf(row) === undefined ? [] : [[nameOf(row) ?? '', row.value] as const])))
  const whole = render(() => undefined)
  return {
    whole,
    masked: maskLiterals(render(({isSecret}) => (isSecret ? mask : undefined))),
    variables,
    compose(form) {
      const header = [`${input.definition.name}, rendered by moorage apps render ${input.definition.id}`]
      if (form === 'values') return toComposeFile(whole, {variables: new Set(), header})
      const app = render((row) => {
        const name = nameOf(row)
        return name === undefined ? undefined : standInFor(name)
      })
      return toComposeFile(app, {variables: new Set(variables.keys()), header: [...header, ...variableLines(variables)]})
    },
  }
}

function resolveInput({definition, given, variables, random, nowMs}: RenderInput, nameOf: (row: {service: string; key: string}) => string | undefined): {values: ResolvedValues; settings: readonly EnvironmentRow[]} {
  const before = composeVariables(definition).flatMap(({name, service, key}) => (variables.has(name) ? [{service, key, value: variables.get(name) ?? ''}] : []))
  refuseChanged([...given.stored, ...Object.entries(given.config).map(([key, value]) => ({service: null, key, value})), ...given.settings], before)
  const fields = new Set((definition.configFields ?? []).map(({service, key}) => `${service}\n${key}`))
  const values = resolveValues(definition, {config: given.config, stored: [...given.stored, ...before], madeServices: [], random, nowMs})
  if (values.missing.length > 0) throw missing(values.missing)
  const kept = before.filter(({service, key}) => !fields.has(`${service}\n${key}`)).map((row) => ({...row, isSecret: true}))
  return {values, settings: [...kept, ...given.settings.filter((row) => nameOf(row) === undefined || !kept.some(({service, key}) => service === row.service && key === row.key))]}
}

// A definition that could not be installed here can be looked at all the same.
function installWarnings({available, minEngine}: AppDefinition): RenderWarning[] {
  const isOld = !isEngineOk(minEngine, version)
  return [
    ...(available === true ? [] : [{rule: 'not-installable' as const, service: null, message: 'an install refuses this app as long as available is not true'}]),
    ...(isOld ? [{rule: 'not-installable' as const, service: null, message: `an install needs release ${minEngine ?? ''} or newer; this is ${version}`}] : []),
  ]
}

// What was written before may be all that opens the data made with it.
function refuseChanged(given: readonly StoredValue[], before: readonly StoredValue[]): void {
  const changed = given.find(({service, key, value}) => before.some((row) => row.key === key && (service === null || row.service === service) && row.value !== value))
  if (changed !== undefined) throw new Fault('CONFLICT', `--set ${changed.key}: the folder has another value of it in .env; change it there if that is what you want`)
}

function missing(fields: readonly ConfigField[]): Fault {
  const keys = [...new Set(fields.map(({key}) => key))]
  const [first] = fields
  const said = keys.length === 1 && first !== undefined ? `${first.key} (${first.label}) is` : `${keys.join(', ')} are`
  return new Fault('USAGE', `${said} needed: give ${keys.map((key) => `--set ${key}=…`).join(' ')}`, {details: {missing: keys}})
}

// A secret that the definition itself holds has no row that could be masked.
function maskLiterals(app: RenderedApp): RenderedApp {
  return {
    ...app,
    services: app.services.map((service) => ({
      ...service,
      environment: service.environment.map((variable) => (variable.isSecret ? {...variable, value: hide(variable.value)} : variable)),
    })),
    connection: app.connection === null ? null : {
      ...app.connection,
      outputs: app.connection.outputs.map((output) => (output.secret ? {...output, value: hide(output.value), ...maskVariants(output.variants)} : output)),
    },
  }
}

function maskVariants(variants: readonly {readonly id: string; readonly label: string; readonly value: string}[] | undefined) {
  return variants === undefined ? {} : {variants: variants.map((variant) => ({...variant, value: hide(variant.value)}))}
}

function hide(value: string): string {
  return value === '' || value.includes(mask) ? value : mask
}

function variableLines(variables: ReadonlyMap<string, string>): string[] {
  return variables.size === 0 ? [] : [`It takes from the environment, or from a file .env beside it: ${[...variables.keys()].join(', ')}`]
}
