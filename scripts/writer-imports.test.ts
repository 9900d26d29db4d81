import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const stores = fileURLToPath(new URL('../packages/server/src/areas/stores.ts', import.meta.url))

/** Every package that a module loads, itself or by the modules that it imports. Imports of types load nothing. */
function packagesOf(module: string, seen = new Map<string, string>()): ReadonlyMap<string, string> {
  const imported = readFileSync(module, 'utf8').matchAll(/^(?:import|export) (?!type )(?:[^'\n;]*from )?'([^'\n]+)'/gm)
  for (const [, target = ''] of imported) {
    const key = target.startsWith('.') ? resolve(dirname(module), target.replace(/\.js$/, '.ts')) : target
    if (seen.has(key)) continue
    seen.set(key, module)
    if (target.startsWith('.')) packagesOf(key, seen)
  }
  return seen
}

// The contract's schemas cost the thread 200 ms before its first write, and 10 MB.
it('the thread that writes loads no schemas of the contract', () => {
  const packages = packagesOf(stores)
  expect(packages.has('@svc/contract/errors')).toBe(true)
  expect(packages.get('@svc/contract')).toBe(undefined)
})
