// A secret reaches logs and output in other clothes too: encoded by a program, or line by line.

/** Shorter ones would mask ordinary words. */
export const shortestSecret = 4

/** All forms of a secret that are masked: itself, its lines, and both in base64 (three alignments), URL, JSON and shell encoding. */
export function secretForms(secret: string): Buffer[] {
  const forms = new Set<string>()
  for (const text of [secret, ...secret.split(/\r\n|\n|\r/)]) {
    if (text.length < shortestSecret) continue
    for (const form of encodedForms(text)) if (form.length >= shortestSecret) forms.add(form)
  }
  return [...forms].map(form => Buffer.from(form))
}

function encodedForms(text: string): string[] {
  return [text, ...base64Forms(Buffer.from(text)), ...urlForms(text), JSON.stringify(text).slice(1, -1), text.replaceAll("'", "'\\''")]
}

/**
 * As base64 on its own, with and without padding, and inside of something longer: after 0, 1 or 2 bytes of a group of three, the
 * characters that hold nothing but bits of the secret.
 */
function base64Forms(bytes: Buffer): string[] {
  const whole = bytes.toString('base64')
  const standard = [whole, whole.replace(/=+$/, '')]
  for (const before of [0, 1, 2]) {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const first = Math.ceil((before * 8) / 6)
    const last = Math.floor(((before + bytes.length) * 8) / 6)
    standard.push(padded.slice(first, last))
  }
  return standard.flatMap(form => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}

function urlForms(text: string): string[] {
  // Through bytes, as encodeURIComponent throws on half a surrogate pair.
  const encoded = encodeURIComponent(Buffer.from(text).toString())
  const strict = encoded.replace(/[!'()*~]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
  const lower = (form: string) => form.replace(/%[0-9A-F]{2}/g, escape => escape.toLowerCase())
  return [encoded, strict].flatMap(form => [form, lower(form), form.replaceAll('%20', '+'), lower(form).replaceAll('%20', '+')])
}
