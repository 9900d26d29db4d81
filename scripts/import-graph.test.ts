import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { importGraph, reachableFrom } from './import-graph.js'

it('the import graph has no cycle', () => {
  const graph = importGraph({ types: true })
  expect([...graph.keys()].filter((module) => reachableFrom(graph, module).has(module))).toEqual([])
})

const schemas = '@svc/contract'

/** `svc doctor` and `svc account import` check rows as requests do. The other commands do not import these modules. */
const checkingRows = [
  'account-import',
  'account-transfer/archive',
  'account-transfer/contents',
  'account-transfer/rows',
  'doctor/diagnose',
  'doctor/rows',
  'row-checks',
].map((name) => `server/src/commands/${name}.ts`)

// Like `svc api`, these load the schemas with an `import()`. They would make every other command slower.
it('only the operator’s commands that check rows load schemas of the contract', () => {
  const graph = importGraph({ types: false })
  const loaded = [...graph.keys()].filter(
    (module) => /^server\/src\/(index\.ts|commands\/|ports\/)/.test(module) || module === 'cli/src/main.ts',
  )
  expect(loaded.length).toBeGreaterThan(50)
  expect(loaded.filter((module) => reachableFrom(graph, module).has(schemas)).sort()).toEqual(checkingRows)
})

// The contract's schemas would cost the writer thread 200 ms before its first write, and 10 MB.
it('modules with units of work load no schemas of the contract', () => {
  const graph = importGraph({ types: false })
  const declaring = [...graph.keys()].filter((module) =>
    /= unit\(\s*import\.meta/.test(readFileSync(`packages/${module}`, 'utf8')),
  )
  expect(declaring.length).toBeGreaterThan(5)
  expect(declaring.filter((module) => reachableFrom(graph, module).has(schemas))).toEqual([])
})
