import { badRequest, badRequestSentence } from '@svc/contract/errors'
import { packageArtifactsMax } from '@svc/contract/limits'
import type { ByteLimits } from '../../../http/handler.js'
import { limitsOf } from '../../../shared/account-limits.js'
import type { Account } from '../../../shared/account.js'
import { readableBytes } from '../../../shared/readable-bytes.js'
import type { StoredPackage } from '../package.js'
import type { Usage } from './usage-store.js'

/** What an account may publish. 0 for no limit, except of packages and versions. */
export interface PackageLimits {
  /** Packages of an account. */
  readonly packagesMax: number
  /** Versions of a package. */
  readonly versionsMax: number
  /** Artifacts of an account. */
  readonly artifactsMax: number
  /** Bytes of one artifact. */
  readonly artifactBytesMax: number
  /** Bytes of the artifacts of an account. */
  readonly bytesMax: number
}

/** The limits that apply to an account. */
export const packageLimitsOf = (account: Account, settings: PackageLimits): PackageLimits =>
  limitsOf(account, settings, {
    packagesMax: 'packages',
    versionsMax: 'package_versions',
    artifactsMax: 'artifacts',
    artifactBytesMax: 'artifact_bytes',
    bytesMax: 'packages_bytes',
  })

type Counted = Pick<StoredPackage, 'slug' | 'versions' | 'versionsEver' | 'artifacts'>

/** Deleted packages and versions keep their rows: with them, there may be this many times the limit. */
const withDeletedFactor = 2

const orInfinity = (limit: number): number => (limit === 0 ? Infinity : limit)

const fullReason = (bytes: number, { bytesMax }: PackageLimits): string =>
  `the packages of the account use ${readableBytes(bytes)} of ${readableBytes(bytesMax)}`

/** @throws ApiError `bad_request` for an account that may have no further package */
export function requirePackage({ packages }: Usage, { packagesMax }: PackageLimits): void {
  if (packages >= packagesMax)
    throw badRequestSentence(
      'slug',
      `The account has ${packages} packages, and may have ${packagesMax}: use the slug of one of them, or delete one`,
    )
}

/** @throws ApiError `bad_request` for an account that may use no further slug */
export function requireSlug({ slugs }: Usage, { packagesMax }: PackageLimits): void {
  const max = packagesMax * withDeletedFactor
  if (slugs >= max)
    throw badRequestSentence(
      'slug',
      `The account has used ${slugs} slugs, those of deleted packages included, and may use ${max}: use one of them again`,
    )
}

/** @throws ApiError `bad_request` for a package that may have no further version */
export function requireVersion({ slug, versions, versionsEver }: Counted, { versionsMax }: PackageLimits): void {
  const max = versionsMax * withDeletedFactor
  if (versionsEver >= max)
    throw badRequestSentence(
      'version',
      `${slug} has had ${versionsEver} versions, deleted ones included, and may have ${max}: publish under another slug`,
    )
  if (versions >= versionsMax)
    throw badRequestSentence(
      'version',
      `${slug} has ${versions} versions, and may have ${versionsMax}: delete one first`,
    )
}

/** @param added artifacts @throws ApiError `bad_request` for too many of an account or a package */
export function requireArtifacts(usage: Usage, of: Counted, added: number, limits: PackageLimits): void {
  if (of.artifacts + added > packageArtifactsMax)
    throw badRequestSentence(
      'artifacts',
      `${of.slug} would have more than ${packageArtifactsMax} artifacts, which is the limit of a package`,
    )
  if (usage.artifacts + added > orInfinity(limits.artifactsMax))
    throw badRequest(
      'artifacts',
      `has ${added} items, but the account has ${usage.artifacts} artifacts, and may have ${limits.artifactsMax}. Delete packages`,
    )
}

/** @param growth in bytes @throws ApiError `bad_request` */
export function requireRoom(usage: Usage, growth: number, limits: PackageLimits): void {
  if (usage.bytes + growth > orInfinity(limits.bytesMax))
    throw badRequest(
      'artifacts',
      `needs ${readableBytes(growth)}, but ${fullReason(usage.bytes, limits)}: delete packages`,
    )
}

/** How many bytes the account may publish. */
export function byteLimits(usage: Usage, limits: PackageLimits): ByteLimits {
  const left = Math.max(orInfinity(limits.bytesMax) - usage.bytes, 0)
  return {
    file: {
      max: orInfinity(limits.artifactBytesMax),
      reason: `artifacts has a file that is too large: one artifact may have ${readableBytes(limits.artifactBytesMax)}.`,
    },
    // Only the account limits the bytes of one request.
    request: { max: Infinity, reason: '' },
    account: {
      max: left,
      reason: (others) => {
        const ofOthers = others === 0 ? '' : `, including ${readableBytes(others)} of other running requests`
        return `artifacts is too large: ${fullReason(usage.bytes + others, limits)}${ofOthers}.`
      },
    },
  }
}
