import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

/** Of the built console: run `npm run build` first. */

/** Compressed bytes of what a browser loads before it shows the first page. */
const firstLoadMax = 250_000

const read = (path: string) => readFileSync(new URL(`../dist/${path}`, import.meta.url))

it('the page with its scripts and style sheets has less than 250 kB, compressed', () => {
  const page = read('index.html')
  const files = Array.from(String(page).matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+)"/g), ([, path = '']) => path)
  expect(files.filter((path) => path.endsWith('.js')).length).toBeGreaterThan(0)
  expect(files.filter((path) => path.endsWith('.css')).length).toBeGreaterThan(0)
  const sizes = [page, ...files.map(read)].map((content) => gzipSync(content, { level: 9 }).byteLength)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(firstLoadMax)
})
