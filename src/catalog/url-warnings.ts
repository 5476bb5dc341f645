import type {RenderWarning} from './render-service.js'
import type {UrlEnvironment, UrlText} from './resolve-public-urls.js'

/** What is to be known of public addresses in the environment of a service. */
export function environmentUrlWarnings(service: string, {unset, loopbackBound}: Pick<UrlEnvironment, 'unset' | 'loopbackBound'>): RenderWarning[] {
  return [
    ...unset.map(({key, placeholders}) => warning('url-unresolved', service, `${service}: ${key} is left unset: ${placeholders.join(', ')} names no address`)),
    ...loopbackBound.map(({key, urls}) => warning('url-loopback', service, `${service}: ${key} gets ${urls.join(', ')}, and that port is published on 127.0.0.1 only`)),
  ]
}

/** The same of a file that is mounted. */
export function fileUrlWarnings({service, path}: {readonly service: string; readonly path: string}, {unresolved, loopbackBound}: Pick<UrlText, 'unresolved' | 'loopbackBound'>): RenderWarning[] {
  const where = `${service}: the file ${path}`
  return [
    ...(unresolved.length > 0 ? [warning('url-unresolved', service, `${where} gets nothing for ${unresolved.join(', ')}, which names no address`)] : []),
    ...(loopbackBound.length > 0 ? [warning('url-loopback', service, `${where} gets ${loopbackBound.join(', ')}, and that port is published on 127.0.0.1 only`)] : []),
  ]
}

function warning(rule: RenderWarning['rule'], service: string, message: string): RenderWarning {
  return {rule, service, message}
}
