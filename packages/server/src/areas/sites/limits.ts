import { badRequest, badRequestSentence } from '@svc/contract/errors'
import type { ByteLimits } from '../../http/handler.js'
import { readableBytes } from '../../shared/readable-bytes.js'
import { limitsOf } from '../../shared/account-limits.js'
import type { Account } from '../../shared/account.js'
import type { ArchiveLimits } from './archive/entry.js'

/** What an account may deploy. 0 bytes for no limit. */
export interface SiteLimits {
  /** Sites of an account. */
  readonly sitesMax: number
  /** Unpacked bytes of the files of one site, and bytes of its archive. */
  readonly siteBytesMax: number
  /** Files of one site. */
  readonly siteFilesMax: number
  /** Stored bytes of all kept versions of an account's sites, with their compressed forms. */
  readonly bytesMax: number
}

/** The limits that apply to an account. */
export const siteLimitsOf = (account: Account, settings: SiteLimits): SiteLimits =>
  limitsOf(account, settings, {
    sitesMax: 'sites',
    siteBytesMax: 'site_bytes',
    siteFilesMax: 'site_files',
    bytesMax: 'sites_bytes',
  })

const orInfinity = (limit: number): number => (limit === 0 ? Infinity : limit)

export const archiveLimits = ({ siteBytesMax, siteFilesMax }: SiteLimits): ArchiveLimits => ({
  bytesMax: orInfinity(siteBytesMax),
  filesMax: siteFilesMax,
})

/** @param sites of the account @throws ApiError `bad_request` for an account that may have no further site */
export function requireSite(sites: number, { sitesMax }: SiteLimits): void {
  if (sites >= sitesMax)
    throw badRequestSentence('name', `The account has ${sites} sites, and may have ${sitesMax}: delete one first`)
}

/** @param use the bytes that the account stores @param growth in bytes @throws ApiError `bad_request` */
export function requireRoom(use: number, growth: number, { bytesMax }: SiteLimits): void {
  if (growth > 0 && use + growth > orInfinity(bytesMax))
    throw badRequest(
      'archive',
      `needs ${readableBytes(growth)}, but the files of the account's sites use ${readableBytes(use)} of ${readableBytes(bytesMax)}. Those of replaced versions and deleted sites count for half an hour: wait, or delete a site`,
    )
}

/** How many bytes of archives the account may send. They are removed after the deploy. */
export function byteLimits({ siteBytesMax }: SiteLimits): ByteLimits {
  const max = orInfinity(siteBytesMax)
  return {
    request: { max, reason: `archive is too large: a site may have ${readableBytes(siteBytesMax)}.` },
    account: {
      max,
      reason: (others) =>
        `archive is too large beside the other running deploys of the account, which have ${readableBytes(others)} of ${readableBytes(siteBytesMax)}: wait for their end.`,
    },
  }
}
