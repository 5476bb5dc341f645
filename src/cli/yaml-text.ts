import {LineCounter, parseDocument, type Document} from 'yaml'

export interface YamlText {
  readonly document: Document
  readonly lines: LineCounter
}

// In a file of its own: the bundler gives a CommonJS package its names only where they are imported by name, and only job files shall load it.
export function parseYamlText(text: string): YamlText {
  const lines = new LineCounter()
  return {document: parseDocument(text, {lineCounter: lines, uniqueKeys: true}), lines}
}
