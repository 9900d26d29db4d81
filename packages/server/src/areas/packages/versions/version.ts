import { badRequest } from '@svc/contract/errors'
import { semverPattern } from '@svc/contract/limits'
// Not all of semver, which the writer thread would load at each start.
import SemVer from 'semver/classes/semver.js'
import parse from 'semver/functions/parse.js'
import { quoted, shortened } from '../../../shared/quoted.js'

const wellFormed = new RegExp(semverPattern)

/** Whether an identifier of a prerelease has an exact order. SemVer compares large numbers without their last digits. */
const isExact = (part: string | number): boolean => !/^\d+$/.test(String(part)) || Number.isSafeInteger(Number(part))

/** What is wrong with a version of another form, and what to write instead. */
function formProblem(version: string): string {
  const corrected = version.replace(/^v/i, '')
  const hint =
    corrected !== version && wellFormed.test(corrected) ? `: write ${shortened(corrected)}, without the v` : ''
  return `must be a version of Semantic Versioning 2.0.0, such as 1.0.0 or 2.0.0-rc.1, not ${quoted(version)}${hint}`
}

/**
 * Parses a version of Semantic Versioning 2.0.0.
 * @throws ApiError `bad_request` for another form, and for a number above 2^53 - 1, which has no exact order
 */
function parseVersion(version: string): SemVer {
  if (!wellFormed.test(version)) throw badRequest('version', formProblem(version))
  const parsed = parse(version)
  if (!parsed?.prerelease.every(isExact))
    throw badRequest('version', `has a number that is too large: each may be up to ${Number.MAX_SAFE_INTEGER}`)
  return parsed
}

/** The version without build metadata, which SemVer ignores (section 10): it identifies the version in its package. */
export const precedenceOf = (version: string): string => parseVersion(version).version

/** Sorts versions by their precedence (section 11), the highest first. */
export function sortVersions<V extends { readonly version: string }>(versions: readonly V[]): V[] {
  const parsed = versions.map((version) => ({ version, order: new SemVer(version.version) }))
  return parsed.sort((a, b) => b.order.compare(a.order)).map(({ version }) => version)
}
