import { expect, it } from 'vitest'
import { precedenceOf, sortVersions } from './version.js'

/** The example of Semantic Versioning 2.0.0, section 11, and numbers beyond a digit. */
const sorted = [
  ...['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1'],
  ...['1.0.0', '1.0.9', '1.0.10', '1.9.0', '1.10.0', '2.0.0', '10.0.0'],
]

it('sorts versions by their precedence, the highest first', () => {
  const shuffled = sorted.toSorted().map((version) => ({ version }))
  expect(sortVersions(shuffled).map(({ version }) => version)).toEqual(sorted.toReversed())
  expect(shuffled.map(({ version }) => version)).toEqual(sorted.toSorted())
})

it.each([
  ['1.2.3', '1.2.3'],
  ['1.2.3-rc.1', '1.2.3-rc.1'],
  ['1.2.3+build.5', '1.2.3'],
  ['1.2.3-rc.1+build', '1.2.3-rc.1'],
])('the precedence of %s is %s', (version, expected) => {
  expect(precedenceOf(version)).toBe(expected)
})

it.each([
  ['v1.2.0', '"v1.2.0": write 1.2.0, without the v.'],
  ['V1.0.0-rc.1+b', '"V1.0.0-rc.1+b": write 1.0.0-rc.1+b, without the v.'],
  ['1.2', '"1.2".'],
  ['v1.2', '"v1.2".'],
  ['01.0.0', '"01.0.0".'],
])('%s is refused with an example instead of a pattern, and with the version to write', (version, end) => {
  expect(() => precedenceOf(version)).toThrow(
    `version must be a version of Semantic Versioning 2.0.0, such as 1.0.0 or 2.0.0-rc.1, not ${end}`,
  )
})

it('the largest numbers have an exact order', () => {
  const largest = ['1.0.0-9007199254740990', '1.0.0-9007199254740991']
  expect(sortVersions(largest.map((version) => ({ version })))).toEqual(
    largest.toReversed().map((version) => ({ version })),
  )
  expect(largest.map(precedenceOf)).toEqual(largest)
})

it.each([
  ...['9007199254740992.0.0', '1.99999999999999999999.0'],
  ...['1.0.0-9007199254740992', '1.0.0-rc.99999999999999999999'],
])('%s has no exact order', (version) => {
  expect(() => precedenceOf(version)).toThrow('version has a number that is too large')
})
