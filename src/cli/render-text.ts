import {portText} from '../catalog/compose-service.js'
import {formatDuration} from '../catalog/durations.js'
import type {RenderedApp} from '../catalog/render-app.js'
import type {RenderedService} from '../catalog/render-service.js'
import type {LocalizedOutput} from '../catalog/localize-connection.js'
import type {Paint} from './colour.js'
import {toPrintable} from './display-width.js'

/** A rendered app for people. Whatever it was written with, it can not draw on the terminal. */
export function renderedLines(app: RenderedApp, paint: Paint): string[] {
  const heading = (text: string): string => paint('heading', text)
  return [
    `${heading(toPrintable(app.name))} (${toPrintable(app.id)}), as project ${toPrintable(app.slug)}`,
    ...section(heading('services, in the order in which they start'), app.services.flatMap((service) => serviceLines(service, paint))),
    ...plainSection(heading('files'), app.files.map(({service, path, isSecret, content}) => `${service}:${path} (${Buffer.byteLength(content)} bytes${isSecret ? ', holds a secret' : ''})`)),
    ...plainSection(heading('routes'), app.routes.map(({service, port, label, url}) => `${service}:${port} → ${url ?? `no address yet (label ${label})`}`)),
    ...plainSection(heading('after the start'), app.prepare.map(({service, title, command, phase}) => `${title}: ${command} (in ${service}, ${phase})`)),
    ...plainSection(heading(toPrintable(app.connection?.title ?? 'connection')), connectionLines(app)),
  ]
}

function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', heading, ...lines.map((line) => `  ${line}`)]
}

function plainSection(heading: string, lines: readonly string[]): string[] {
  return section(heading, lines.map(toPrintable))
}

function serviceLines(service: RenderedService, paint: Paint): string[] {
  const {name, image, build, entrypoint, command, ports, volumes, healthcheck, dependsOn, restart, stopGraceSeconds} = service
  const details: readonly (readonly [string, string | null])[] = [
    ['entrypoint', entrypoint === null ? null : argvText(entrypoint)],
    ['command', command === null ? null : argvText(command)],
    ['ports', listText(ports.map((port) => portText(port)))],
    ['volumes', listText(volumes.map(({source, target, mode, realName}) => `${source === null ? '' : `${realName ?? source}:`}${target}${mode === null ? '' : `:${mode}`}`))],
    ['check', healthcheck === null ? null : healthcheck.disabled ? 'none' : checkText(healthcheck)],
    ['starts after', listText(dependsOn)],
    ['restart', restart === 'unless-stopped' ? null : restart],
    ['time to stop', stopGraceSeconds === null ? null : formatDuration(stopGraceSeconds * 1e9)],
    ['build', build === null ? null : listText(build.files.map(({path}) => path))],
  ]
  return [
    `${paint('name', toPrintable(name))}  ${toPrintable(image ?? 'built here')}`,
    ...details.filter(([, text]) => text !== null).map(([label, text]) => `  ${label}: ${toPrintable(text ?? '')}`),
    ...service.environment.map((variable) => `  ${toPrintable(variable.name)}=${toPrintable(variable.value)}`),
  ]
}

function checkText(check: Extract<NonNullable<RenderedService['healthcheck']>, {disabled: false}>): string {
  const [form, ...words] = check.test ?? []
  const test = form === undefined ? 'as the image has it' : form === 'CMD-SHELL' ? words.join(' ') : argvText(words)
  return `${test}${check.intervalNs === null ? '' : `, every ${formatDuration(check.intervalNs)}`}`
}

function connectionLines({connection}: RenderedApp): string[] {
  if (connection === null) return []
  const {outputs, firstLogin, guide, description} = connection
  const login = [['username', firstLogin?.username], ['password', firstLogin?.password], ['note', firstLogin?.note]] as const
  return [
    ...(description === null ? [] : [description]),
    ...outputs.flatMap(outputLines),
    ...login.flatMap(([label, text]) => (text === undefined || text === '' ? [] : [`first login, ${label}: ${text}`])),
    ...[guide?.intro ?? '', guide?.useHint ?? ''].filter((text) => text !== ''),
  ]
}

function outputLines({label, value, envKey, sourceLabel, variants = [], note}: LocalizedOutput): string[] {
  const shown = (text: string): string => (text === '' ? 'not known yet' : text)
  return [
    `${label}${sourceLabel === undefined ? '' : ` (${sourceLabel})`}: ${shown(value)}${envKey === undefined ? '' : `  [${envKey}]`}`,
    ...variants.map((variant) => `${label} (${variant.label}): ${shown(variant.value)}`),
    ...(note === undefined ? [] : [`  ${note}`]),
  ]
}

function argvText(words: readonly string[]): string {
  return words.length === 0 ? '(none)' : words.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
}

function listText(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.join(', ')
}
