import { isBuiltin } from 'node:module'
import { posix } from 'node:path'

/** The declared layers (docs/architecture.md). Each row may import the rows before it that it names, and itself. */

/** The workspace packages that each package may import. */
export const packages = {
  contract: [],
  client: ['contract'],
  console: ['contract', 'client'],
  server: ['contract'],
  cli: ['contract', 'client', 'server'],
} as const satisfies Record<string, readonly string[]>

type Layers = Readonly<Record<string, readonly string[]>>

/** The layers of the packages that have some: folders and modules in `src`, without the extension. */
export const layersOf: Readonly<Record<string, Layers>> = {
  console: {
    parts: [],
    areas: ['parts'],
    'areas/overview': ['parts', 'areas'],
    app: ['parts', 'areas'],
    main: ['parts', 'app'],
  },
  server: {
    shared: [],
    db: ['shared'],
    journal: ['shared', 'db'],
    ports: ['shared', 'db', 'journal'],
    http: ['shared', 'db', 'ports'],
    config: ['shared', 'db', 'ports'],
    console: ['shared', 'http'],
    areas: ['shared', 'db', 'journal', 'ports', 'http/answer', 'http/area', 'http/handler', 'http/staged'],
    archive: ['shared', 'db', 'ports', 'config'],
    app: ['shared', 'db', 'journal', 'ports', 'http', 'config', 'console', 'areas'],
    serve: ['shared', 'db', 'config', 'app'],
    nameserver: ['shared', 'ports', 'config', 'serve'],
    commands: ['shared', 'db', 'journal', 'ports', 'http', 'config', 'areas', 'archive', 'app', 'serve'],
    generate: ['config'],
    main: ['shared', 'config', 'app', 'serve'],
    index: ['shared', 'config', 'areas', 'nameserver', 'commands', 'main'],
  },
}

/** Folders whose subfolders are layers that do not import each other. */
const separate = ['areas']

/** Modules of the contract that the writer thread and the operator's commands load. */
const withoutImports = ['errors', 'events', 'group-by', 'limits', 'public-name', 'scopes'].map(
  (name) => `contract/src/${name}.ts`,
)

/**
 * Why a module may not have an import; undefined if it may.
 * @param from the path of the module below packages/
 * @param specifier as the module writes it
 */
export function problemOf(from: string, specifier: string): string | undefined {
  if (from.endsWith('.test.ts')) return undefined
  if (specifier === 'vitest') return 'Only tests import vitest.'
  if (withoutImports.includes(from)) return 'This module must have no imports: the writer thread loads it.'
  return specifier.startsWith('.')
    ? relativeProblem(from, posix.join(posix.dirname(from), specifier))
    : packageProblem(packageOf(from), specifier)
}

const packageOf = (path: string) => path.slice(0, path.indexOf('/'))

function packageProblem(name: string, specifier: string): string | undefined {
  if (name === 'contract' && isBuiltin(specifier)) return 'The contract also runs in browsers: no Node modules.'
  const [, imported, folder] = /^@svc\/([^/]+)(?:\/([^/]+))?/.exec(specifier) ?? []
  if (imported === undefined) return undefined
  if (folder === 'src' || folder === 'dist') return 'Import another package by its name.'
  const allowed: readonly string[] = packages[name as keyof typeof packages]
  return allowed.includes(imported) ? undefined : `${name} may import: ${allowed.join(', ') || 'no other package'}.`
}

function relativeProblem(from: string, to: string): string | undefined {
  const name = packageOf(from)
  const root = `${name}/src/`
  if (!to.startsWith(root)) return 'Import another package by its name, and no files that are not shipped.'
  const layers = layersOf[name]
  if (layers === undefined) return undefined
  const path = from.slice(root.length)
  const [layer, imported] = narrowestLayer(layers, path) ?? []
  if (layer === undefined || imported === undefined)
    return 'This module is in no layer: declare it in scripts/layers.ts.'
  const own = separate.includes(layer) ? path.split('/', 2).join('/') : layer
  return [own, ...imported].some((allowed) => isIn(to.slice(root.length), allowed))
    ? undefined
    : `${own} may import: ${imported.join(', ') || 'no other layer'}.`
}

const narrowestLayer = (layers: Layers, path: string) =>
  Object.entries(layers)
    .filter(([layer]) => isIn(path, layer))
    .sort(([a], [b]) => b.length - a.length)[0]

const isIn = (path: string, layer: string): boolean =>
  path.startsWith(`${layer}/`) || path.replace(/\.\w+$/, '') === layer
