import { expect, it } from 'vitest'
import { latestOf, nextVersions } from './version-numbers.js'

it.each([
  { versions: [], latest: undefined, next: ['0.1.0', '1.0.0'] },
  { versions: ['1.0.0-rc.1'], latest: undefined, next: ['0.1.0', '1.0.0'] },
  { versions: ['1.0.0', '1.0.1', '0.9.0'], latest: '1.0.1', next: ['1.0.2', '1.1.0', '2.0.0'] },
  { versions: ['1.9.0', '1.10.0', '2.0.0-rc.1'], latest: '1.10.0', next: ['1.10.1', '1.11.0', '2.0.0'] },
  { versions: ['3.0.0+build.5', '2.0.0'], latest: '3.0.0+build.5', next: ['3.0.1', '3.1.0', '4.0.0'] },
])('$versions: the latest release is $latest', ({ versions, latest, next }) => {
  expect(latestOf(versions)).toBe(latest)
  expect(nextVersions(versions)).toEqual(next)
})
