import {parseApiUrl} from '../client/api-url.js'
import {Fault} from '../contract/faults.js'

/** Everything the command line takes from its environment; read once. */
export interface Environment {
  readonly home: string | undefined
  readonly configDir: string | undefined
  readonly url: string | undefined
  readonly token: string | undefined
  readonly context: string | undefined
  readonly organization: string | undefined
  readonly noColor: boolean
  readonly forceColor: boolean | undefined
  readonly dumbTerminal: boolean
  readonly ci: boolean
  readonly userHome: string | undefined
  readonly xdgConfigHome: string | undefined
  readonly xdgDataHome: string | undefined
}

export type Variables = Readonly<Record<string, string | undefined>>

/** A variable that is set to nothing counts as not set. */
export function readEnvironment(variables: Variables): Environment {
  const text = (name: string) => {
    const value = variables[name]
    return value === undefined || value === '' ? undefined : value
  }
  const url = text('MOORAGE_URL')
  return {
    home: text('MOORAGE_HOME'),
    configDir: text('MOORAGE_CONFIG_DIR'),
    url: url === undefined ? undefined : parseApiUrl(url, 'MOORAGE_URL'),
    token: parseToken(text('MOORAGE_TOKEN'), 'MOORAGE_TOKEN'),
    context: text('MOORAGE_CONTEXT'),
    organization: text('MOORAGE_ORGANIZATION'),
    noColor: text('NO_COLOR') !== undefined,
    forceColor: parseForceColor(text('FORCE_COLOR')),
    dumbTerminal: text('TERM') === 'dumb',
    ci: !['', '0', 'false'].includes(variables['CI'] ?? ''),
    userHome: text('HOME') ?? text('USERPROFILE'),
    xdgConfigHome: text('XDG_CONFIG_HOME'),
    xdgDataHome: text('XDG_DATA_HOME'),
  }
}

/** A token without the white space around it; one that can not stand in a header is refused without being shown. */
export function parseToken(text: string | undefined, source: string): string | undefined {
  const token = text?.trim()
  if (token === undefined || token === '') return undefined
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Fault('CONFIGURATION', `${source} holds something that is not a token`, {details: {source}})
  return token
}

function parseForceColor(value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined
  return value !== '0' && value !== 'false'
}

/** The variables of this process. */
export function processVariables(): Variables {
  return process.env
}
