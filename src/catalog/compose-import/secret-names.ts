// What the name of a variable says about its value. Names are split into words at underscores, dots, hyphens and capitals.

const secretWords = new Set(['password', 'passwd', 'pass', 'pwd', 'passphrase', 'secret', 'token', 'salt', 'credential', 'credentials'])
const keyWords = new Set(['key', 'apikey', 'secretkey', 'accesskey', 'masterkey'])
const openKeys = new Set(['public', 'site', 'primary', 'foreign', 'sort', 'partition', 'cache', 'publishable', 'client', 'ssh', 'host', 'id', 'anon', 'idempotency', 'routing'])
// Whoever runs the app gets these from somebody else, so that none can be made up.
const outsideWords = new Set([
  'smtp', 'mail', 'mailer', 'email', 'mailgun', 'sendgrid', 'postmark', 'ses', 'imap', 'pop3', 'ldap', 'oauth', 'oauth2', 'oidc', 'saml', 'sso', 'openai', 'anthropic', 'gemini', 'huggingface', 'hf',
  'aws', 's3', 'r2', 'gcs', 'azure', 'b2', 'backblaze', 'cloudflare', 'cf', 'digitalocean', 'hetzner', 'google', 'github', 'gitlab', 'gitea', 'bitbucket', 'facebook', 'twitter', 'apple', 'microsoft',
  'discord', 'slack', 'telegram', 'matrix', 'mattermost', 'pushover', 'gotify', 'ntfy', 'twilio', 'vonage', 'stripe', 'paypal', 'sentry', 'license', 'licence', 'captcha', 'recaptcha', 'hcaptcha',
  'turnstile', 'unsplash', 'giphy', 'maxmind', 'geoip', 'mapbox', 'webdav', 'proxy', 'tunnel', 'tailscale', 'ts', 'vpn', 'wireguard', 'registry', 'dockerhub', 'newrelic', 'datadog', 'dd',
])

export function wordsOf(name: string): string[] {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== '')
}

/** Whether a variable of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name)
  const last = words.at(-1) ?? ''
  if (secretWords.has(last)) return true
  if (last === 'base' && words.includes('secret')) return true
  return keyWords.has(last) && !openKeys.has(words.at(-2) ?? '')
}

/** Whether a secret of this name is given by somebody else: a mail server, a cloud, a licence. */
export function isOutsideName(name: string): boolean {
  const words = wordsOf(name)
  const isApiKey = words.at(-2) === 'api' && words.at(-1) === 'key' && words.length > 2
  return isApiKey || /private_?key$/i.test(name) || words.some((word) => outsideWords.has(word))
}

/** Whether a value could be a secret: switches, numbers of a few digits and file names are none. */
export function looksSecret(value: string): boolean {
  return value !== '' && !/^(?:true|false|yes|no|on|off|null|none|\d{1,4}|\/\S*)$/i.test(value)
}

/** Whether a generated secret would not do, as a form is asked for that is not 64 hexadecimal digits. */
export function hasForm(value: string): boolean {
  return value.startsWith('base64:') || value.includes('-----BEGIN')
}
