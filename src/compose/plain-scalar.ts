/** What a scalar without quotes means to Compose: YAML 1.2, with the octal numbers and underscores of 1.1; `yes`, `on` and dates stay texts. */
export function readPlainScalar(written: string): string | null {
  if (/^(?:|~|null|Null|NULL)$/.test(written)) return null
  if (/^(?:true|True|TRUE|false|False|FALSE)$/.test(written)) return written.toLowerCase()
  // Most texts start with a letter.
  if (!/^[-+.\d]/.test(written)) return written
  return readInteger(written.replaceAll('_', '')) ?? readFloat(written.replaceAll('_', '')) ?? written
}

const integerForms = [
  [/^([-+]?)0b([01]+)$/, '0b'],
  [/^([-+]?)0o([0-7]+)$/, '0o'],
  [/^([-+]?)0([0-7]+)$/, '0o'],
  [/^([-+]?)0x([0-9a-fA-F]+)$/, '0x'],
  [/^([-+]?)(0|[1-9]\d*)$/, ''],
] as const

function readInteger(written: string): string | undefined {
  for (const [pattern, prefix] of integerForms) {
    const [, sign, digits] = pattern.exec(written) ?? []
    if (digits === undefined) continue
    const value = BigInt(prefix + digits) * (sign === '-' ? -1n : 1n)
    // What does not fit becomes a fraction, with its digits cut.
    return value < -(2n ** 63n) || value >= 2n ** 64n ? goFloat(Number(value)) : String(value)
  }
  return undefined
}

function readFloat(written: string): string | undefined {
  return /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(written) ? goFloat(Number(written)) : undefined
}

// As Go prints it, which Compose is written in: exponents have two digits, and small numbers get one sooner.
function goFloat(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  const text = Math.abs(value) !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(value)
  return text.replace(/e([-+])(\d)$/, 'e$10$2')
}
