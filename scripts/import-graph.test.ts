import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { importGraph, reachableFrom } from './import-graph.js'

it('the import graph has no cycle', () => {
  const graph = importGraph({ types: true })
  expect([...graph.keys()].filter((module) => reachableFrom(graph, module).has(module))).toEqual([])
})

// The contract's schemas would cost the writer thread 200 ms before its first write, and 10 MB.
it('modules with units of work load no schemas of the contract', () => {
  const graph = importGraph({ types: false })
  const declaring = [...graph.keys()].filter((module) =>
    /= unit\(\s*import\.meta/.test(readFileSync(`packages/${module}`, 'utf8')),
  )
  expect(declaring.length).toBeGreaterThan(5)
  expect(declaring.filter((module) => reachableFrom(graph, module).has('@svc/contract'))).toEqual([])
})
