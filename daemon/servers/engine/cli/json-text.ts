/** Undefined where the text is no JSON: the client prints warnings among its answers. */
export function jsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
