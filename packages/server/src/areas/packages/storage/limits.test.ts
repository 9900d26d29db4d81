import { expect, it } from 'vitest'
import {
  byteLimits,
  requireArtifacts,
  requirePackage,
  requireRoom,
  requireSlug,
  requireVersion,
  type PackageLimits,
} from './limits.js'

const limits: PackageLimits = {
  packagesMax: 2,
  versionsMax: 3,
  artifactsMax: 10,
  artifactBytesMax: 1_000,
  bytesMax: 5_000,
}
const unlimited: PackageLimits = { ...limits, artifactsMax: 0, artifactBytesMax: 0, bytesMax: 0 }
const use = { packages: 1, slugs: 3, artifacts: 9, bytes: 4_000 }
const greeter = { slug: 'greeter', versions: 2, versionsEver: 5, artifacts: 9_990 }

it.each<[string, () => void]>([
  ['a package below the limit', () => requirePackage(use, limits)],
  ['a slug below twice the limit of packages', () => requireSlug(use, limits)],
  ['a version below the limit', () => requireVersion(greeter, limits)],
  ['the last artifact of an account', () => requireArtifacts(use, greeter, 1, limits)],
  ['any number of artifacts of an account', () => requireArtifacts(use, greeter, 10, unlimited)],
  ['the last bytes of an account', () => requireRoom(use, 1_000, limits)],
  ['any number of bytes', () => requireRoom(use, 1e15, unlimited)],
])('allows %s', (_, check) => {
  expect(check).not.toThrow()
})

it.each<[() => void, string]>([
  [
    () => requirePackage({ ...use, packages: 2 }, limits),
    'The account has 2 packages, and may have 2: use the slug of one of them, or delete one.',
  ],
  [
    () => requireSlug({ ...use, slugs: 4 }, limits),
    'The account has used 4 slugs, those of deleted packages included, and may use 4: use one of them again.',
  ],
  [
    () => requireVersion({ ...greeter, versionsEver: 6 }, limits),
    'greeter has had 6 versions, deleted ones included, and may have 6: publish under another slug.',
  ],
  [
    () => requireVersion({ ...greeter, versions: 3 }, limits),
    'greeter has 3 versions, and may have 3: delete one first.',
  ],
  [
    () => requireArtifacts(use, greeter, 2, limits),
    'artifacts has 2 items, but the account has 9 artifacts, and may have 10. Delete packages.',
  ],
  [
    () => requireArtifacts(use, greeter, 11, unlimited),
    'greeter would have more than 10000 artifacts, which is the limit of a package.',
  ],
  [
    () => requireRoom(use, 1_001, limits),
    'artifacts needs 1 kB (1001 bytes), but the packages of the account use 4 kB (4000 bytes) of 5 kB (5000 bytes): delete packages.',
  ],
])('refuses with the message $1', (check, message) => {
  expect(check).toThrow(message)
})

it('the account may send what is left, and each artifact may have its limit', () => {
  const { file, account } = byteLimits(use, limits)
  expect([file?.max, account.max]).toEqual([1_000, 1_000])
  expect(account.reason(0)).toBe(
    'artifacts is too large: the packages of the account use 4 kB (4000 bytes) of 5 kB (5000 bytes).',
  )
  expect(account.reason(500)).toMatch(/, including 500 bytes of other running requests\.$/)
  expect(byteLimits({ ...use, bytes: 6_000 }, limits).account.max).toBe(0)
  expect(byteLimits(use, unlimited)).toMatchObject({ file: { max: Infinity }, account: { max: Infinity } })
})
