import {existsSync, readdirSync, readFileSync} from 'node:fs'
import type {PluginBuild} from 'esbuild'
import {defineConfig} from 'tsup'

// What is loaded once, late, or only by the daemon stays outside: bundling it makes no command faster, and ssh2 looks for its files by path.
// TypeScript is what oclif reaches for only when it runs from source.
const outside = ['ssh2', 'cpu-features', 'ink', 'react', 'typescript', 'ts-node']
const everythingElse = new RegExp(`^(?!(?:${outside.join('|')})(?:/|$))`)

const published = ['src/client/client.ts', 'src/contract/index.ts'].filter((path) => existsSync(path))

/** Every command is an entry, so that the manifest can load one alone; so is the daemon, what packages import, and what bin/ starts. */
function entries(): Record<string, string> {
  const sources = [...filesUnder('commands'), ...published, ...startedByBin()]
  if (existsSync('daemon/main.ts')) sources.push('daemon/main.ts')
  return Object.fromEntries(sources.map((path) => [path.replace(/\.tsx?$/, ''), path]))
}

function filesUnder(folder: string): string[] {
  if (!existsSync(folder)) return []
  const found = readdirSync(folder, {recursive: true, withFileTypes: true})
  return found.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name)).map((entry) => `${entry.parentPath}/${entry.name}`)
}

function startedByBin(): string[] {
  if (!existsSync('bin')) return []
  const text = readdirSync('bin').map((name) => readFileSync(`bin/${name}`, 'utf8')).join('\n')
  const imported = [...text.matchAll(/['"]\.\.\/dist\/((?:src|daemon)\/[\w/-]+)\.js['"]/g)].map((match) => match[1])
  return imported.flatMap((path) => [`${path}.ts`, `${path}.tsx`]).filter((path) => existsSync(path))
}

// zod brings its messages in fifty languages; the product has its own words, so one is enough, and each start is spared reading the rest.
const oneLanguage = {
  name: 'one-language',
  setup(build: PluginBuild) {
    build.onLoad({filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/}, () => ({contents: "export {default as en} from './en.js'"}))
  },
}

export default defineConfig({
  esbuildPlugins: [oneLanguage],
  entry: entries(),
  outDir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  splitting: true,
  treeshake: false,
  clean: true,
  silent: true,
  dts: {entry: Object.fromEntries(published.map((path) => [path.replace(/\.ts$/, ''), path]))},
  noExternal: [everythingElse],
  external: outside,
  // Bundled CommonJS asks for Node's own modules with require, which an ES module does not have.
  banner: {js: "import {createRequire as __createRequire} from 'node:module'; const require = __createRequire(import.meta.url);"},
  esbuildOptions(options) {
    options.chunkNames = 'chunks/[name]-[hash]'
    options.legalComments = 'none'
    // Its other form asks for its parts in a way that no bundler can follow.
    options.alias = {'jsonc-parser': 'jsonc-parser/lib/esm/main.js'}
    options.minifySyntax = true
    options.minifyWhitespace = true
    options.define = {'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"'}
  },
})
