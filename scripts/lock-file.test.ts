import { readFileSync } from 'node:fs'
import { satisfies } from 'semver'
import { expect, it } from 'vitest'

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly engines?: { readonly node?: string } | readonly string[] }>>
}

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as LockFile
/** The oldest that `engines` in package.json allows, as installed for the tests. */
const oldest = '20.20.0'

it('npm ci installs only packages that allow Node.js 20, and prints no warnings about it', () => {
  const newer = Object.entries(lock.packages).flatMap(([path, { engines }]) => {
    // Very old packages have a list here, which npm ignores.
    const range = engines === undefined || !('node' in engines) ? undefined : engines.node
    return range === undefined || satisfies(oldest, range) ? [] : [`${path} needs Node.js ${range}`]
  })
  expect(newer).toEqual([])
})
