import { X509Certificate } from 'node:crypto'
import { issuerOf } from '../../ports/certificates/check.js'
import { timestamp } from '../../shared/timestamp.js'

type Status = 'issued' | 'ordering' | 'waiting' | 'failed'

/** A certificate of an account, or one that it has asked for, without its key. Times are milliseconds since the epoch. */
export interface AccountCertificate {
  readonly names: readonly string[]
  readonly zone: string
  /** The site whose own domain it is for; null for a zone. */
  readonly site: string | null
  /** PEM; null before the first order, like the times below. */
  readonly chain: string | null
  readonly notAfter: number | null
  readonly renewAt: number | null
  readonly nextAt: number | null
  readonly leasedUntil: number
  /** Failed orders in a row. */
  readonly failures: number
  readonly error: string | null
  readonly createdAt: number
}

/** The names of the certificate of a zone, sorted. */
export const namesOfZone = (zone: string): readonly string[] => [`*.${zone}`, zone]

/** A certificate that no order has begun. */
export const unordered = {
  site: null,
  chain: null,
  notAfter: null,
  renewAt: null,
  nextAt: null,
  leasedUntil: 0,
  failures: 0,
  error: null,
} as const

/** The same of a zone that is not verified for the account now. */
export const notVerified = (zone: string) => ({
  ...unordered,
  error: `The zone ${zone} is not verified for this account: claim it, or delete the certificate.`,
})

/** A certificate in the API's answers. */
export const certificateToJson = (certificate: AccountCertificate, now: number) => {
  const { names, zone, site, chain, notAfter, renewAt, nextAt, error, createdAt } = certificate
  return {
    names: [...names],
    zone: site === null ? zone : null,
    site,
    status: statusOf(certificate, now),
    issuer: chain === null ? null : issuerOf(new X509Certificate(chain)),
    not_after: timeOf(notAfter),
    renew_at: timeOf(renewAt),
    next_attempt: timeOf(nextAt),
    error,
    created_at: timestamp(createdAt),
  }
}

const timeOf = (ms: number | null): string | null => (ms === null ? null : timestamp(ms))

function statusOf({ notAfter, leasedUntil, failures }: AccountCertificate, now: number): Status {
  if (notAfter !== null && notAfter > now) return 'issued'
  if (leasedUntil > now) return 'ordering'
  return failures > 0 ? 'failed' : 'waiting'
}
