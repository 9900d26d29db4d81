import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { graphOf, importsOf, imports, reachableFrom } from './import-graph.js'

it('the import graph has every form of import', () => {
  const text = `import { a } from './a.js'
    import type { B } from '../b.js'
    export * from './c.js'
    export { d } from 'd'
    export type { E } from './e.js'
    const load = () => import('./f.js')`
  expect(importsOf('server/src/areas/x.ts', text).sort((a, b) => a.target.localeCompare(b.target))).toEqual([
    { kind: 'static', specifier: 'd', target: 'd' },
    { kind: 'static', specifier: './a.js', target: 'server/src/areas/a.js' },
    { kind: 'static', specifier: './c.js', target: 'server/src/areas/c.js' },
    { kind: 'type', specifier: './e.js', target: 'server/src/areas/e.js' },
    { kind: 'dynamic', specifier: './f.js', target: 'server/src/areas/f.js' },
    { kind: 'type', specifier: '../b.js', target: 'server/src/b.js' },
  ])
})

it('the import graph has the modules of every package, also components, and no tests', () => {
  const modules = [...imports.keys()]
  for (const name of ['cli', 'client', 'console', 'contract', 'server'])
    expect(modules.filter((module) => module.startsWith(`${name}/src/`)).length).toBeGreaterThan(5)
  expect(modules).toContain('console/src/main.tsx')
  expect(modules.filter((module) => module.includes('.test.'))).toEqual([])
})

it('every relative import names a module of the graph, or a style sheet', () => {
  const targets = [...imports.values()].flat().filter(({ specifier }) => specifier.startsWith('.'))
  expect(targets.filter(({ target }) => !imports.has(target) && !target.endsWith('.css'))).toEqual([])
})

it('the import graph has no cycle', () => {
  const graph = graphOf('static', 'dynamic', 'type')
  expect([...graph.keys()].filter((module) => reachableFrom(graph, module).has(module))).toEqual([])
})

const schemas = '@svc/contract'

/**
 * `svc doctor` and `svc account import` check rows as requests do, and `svc token` the rules that it is given. The other commands do not
 * import these modules, and `svc token` only for rules.
 */
const checkingInput = [
  'account-import',
  'account-transfer/archive',
  'account-transfer/contents',
  'doctor/diagnose',
  'doctor/rows',
  'row-checks',
  'token-rules',
].map((name) => `server/src/commands/${name}.ts`)

// Like `svc api`, these load the schemas with an `import()`. They would make every other command slower.
it('only the operator’s commands that check rows and rules load schemas of the contract', () => {
  const graph = graphOf('static')
  const loaded = [...graph.keys()].filter(
    (module) => /^server\/src\/(index\.ts|commands\/|ports\/)/.test(module) || module === 'cli/src/main.ts',
  )
  expect(loaded.length).toBeGreaterThan(50)
  expect(loaded.filter((module) => reachableFrom(graph, module).has(schemas)).sort()).toEqual(checkingInput)
})

// The contract's schemas would cost the writer thread 200 ms before its first write, and 10 MB.
it('modules with units of work load no schemas of the contract', () => {
  const graph = graphOf('static')
  const declaring = [...graph.keys()].filter((module) =>
    /= unit\(\s*import\.meta/.test(readFileSync(`packages/${module}`, 'utf8')),
  )
  expect(declaring.length).toBeGreaterThan(5)
  expect(declaring.filter((module) => reachableFrom(graph, module).has(schemas))).toEqual([])
})
