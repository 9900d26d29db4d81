import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

/** Of the built console: run `npm run build` first. */

/** Compressed bytes of what a browser loads before it shows the sign-in. */
const visitorMax = 170_000
/** The same of a page of the console, without the code of that page. */
const signedInMax = 270_000

const dist = new URL('../dist/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, dist))
const compressed = (paths: Iterable<string>) =>
  Array.from(paths, (path) => gzipSync(read(path), { level: 9 }).byteLength).reduce((sum, size) => sum + size)

const ofPage = Array.from(
  String(read('index.html')).matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+)"/g),
  ([, path = '']) => path,
)

/** A script and those that it imports at once. */
function withImports(script: string, found = new Set<string>()): Set<string> {
  if (found.has(script)) return found
  found.add(script)
  for (const [, name = ''] of String(read(script)).matchAll(/(?:from|import)\s*["']\.\/([\w-]+\.js)["']/g))
    withImports(`assets/${name}`, found)
  return found
}

it('the sign-in with its scripts and style sheets has less than 170 kB, compressed', () => {
  expect(ofPage.filter((path) => path.endsWith('.js')).length).toBeGreaterThan(0)
  expect(ofPage.filter((path) => path.endsWith('.css')).length).toBeGreaterThan(0)
  expect(compressed(['index.html', ...ofPage])).toBeLessThan(visitorMax)
})

it('the console with its scripts has less than 270 kB, compressed', () => {
  const chunk = readdirSync(new URL('assets/', dist)).find((name) => /^console-.+\.js$/.test(name))
  const console = withImports(`assets/${String(chunk)}`)
  expect(console.size).toBeGreaterThan(1)
  expect(compressed(new Set(['index.html', ...ofPage, ...console]))).toBeLessThan(signedInMax)
})
