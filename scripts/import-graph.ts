import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

const packages = fileURLToPath(new URL('../packages', import.meta.url))

/** `static` imports load the module with their own, `dynamic` ones later, `type` imports never. */
export type ImportKind = 'static' | 'dynamic' | 'type'

interface Import {
  readonly kind: ImportKind
  /** As written: `./store.js`. */
  readonly specifier: string
  /** The path of a file below packages/, or the specifier of a package. */
  readonly target: string
}

/** Paths of modules below packages/, each with the modules and packages that it imports. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

const isSource = (file: string) => /^\w+\/src\/.*(?<!\.test)\.tsx?$/.test(file)

/** The source files of all packages, without tests, each with its imports. */
export const imports: ReadonlyMap<string, readonly Import[]> = new Map(
  readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .filter(isSource)
    .map((file) => [file, importsOf(file, readFileSync(resolve(packages, file), 'utf8'))]),
)

/** @param kinds the imports that count */
export const graphOf = (...kinds: readonly ImportKind[]): ImportGraph =>
  new Map(
    [...imports].map(([module, all]) => [
      module,
      all.filter(({ kind }) => kinds.includes(kind)).map(({ target }) => target),
    ]),
  )

/**
 * The imports of a module. The parser does not report types in the form `import('./a.js').A`, which the linter refuses
 * (consistent-type-imports).
 */
export function importsOf(file: string, text: string): Import[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module
  const kindAt = (start: number) => (/^(import|export) type\b/.test(text.slice(start, start + 12)) ? 'type' : 'static')
  const found = (kind: ImportKind, specifier: string) => ({ kind, specifier, target: targetOf(file, specifier) })
  return [
    ...staticImports.map(({ start, moduleRequest }) => found(kindAt(start), moduleRequest.value)),
    ...staticExports.flatMap(({ start, entries }) =>
      entries.flatMap(({ moduleRequest }) => (moduleRequest ? found(kindAt(start), moduleRequest.value) : [])),
    ),
    ...dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
      const specifier = /^'(.*)'$/.exec(text.slice(start, end))?.[1]
      return specifier === undefined ? [] : found('dynamic', specifier)
    }),
  ]
}

function targetOf(file: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier
  const path = resolve(packages, dirname(file), specifier)
  const sources = [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')]
  return relative(packages, sources.find((source) => existsSync(source)) ?? path)
}

/** Everything that a module reaches through its imports. */
export function reachableFrom(graph: ImportGraph, module: string): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [module]
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const target of graph.get(next) ?? [])
      if (!reached.has(target)) {
        reached.add(target)
        open.push(target)
      }
  return reached
}
