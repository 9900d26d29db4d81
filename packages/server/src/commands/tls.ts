import { X509Certificate } from 'node:crypto'
import type { Config } from '../config/config.js'
import { certificateList, queueRenewal, type ListedCertificate } from '../ports/certificates/acme/certificate-store.js'
import { OperatorError } from '../shared/operator-error.js'
import { quoted } from '../shared/quoted.js'
import { timestamp } from '../shared/timestamp.js'
import { accountEmails } from './account-email-store.js'
import { withExistingDatabase } from './with-database.js'

/** A certificate that svc orders. */
export interface CertificateState {
  readonly names: readonly string[]
  /** The e-mail address of the account that it is ordered for; null for one of the server's own. */
  readonly account: string | null
  /** Null before the first order, like `not_after`. */
  readonly issuer: string | null
  readonly not_after: string | null
  /** As in the API: `issued` while it is valid, otherwise `ordering` during an order, `failed` after a failed one, or `waiting`. */
  readonly status: 'issued' | 'ordering' | 'waiting' | 'failed'
  /** Why the last order failed; null after a success. */
  readonly error: string | null
  /** When it is renewed; null before the first order. */
  readonly renew_at: string | null
  /** When it is ordered again, or the CA is asked about its renewal. */
  readonly next_attempt: string
}

type Databases = Pick<Config, 'database'>

/** `svc tls list` */
export const listCertificates = ({ database }: Databases): Promise<CertificateState[]> =>
  withExistingDatabase(database, async (db) => {
    const listed = await certificateList(db)
    const emails = await accountEmails(
      db,
      listed.flatMap(({ accountId }) => accountId ?? []),
    )
    return listed.map((certificate) => stateOf(certificate, emails))
  })

/**
 * `svc tls renew`: the running server orders the certificate within seconds.
 * @param name one of its names
 * @throws OperatorError for a name that no certificate has; it names the certificate that covers the name by a wildcard
 */
export const renewCertificate = ({ database }: Databases, name: string): Promise<readonly string[]> =>
  withExistingDatabase(database, async (db) => {
    const all = await certificateList(db)
    const found = all.find(({ names }) => names.includes(name.toLowerCase()))
    if (found === undefined) throw new OperatorError(unknownName(name, all))
    await queueRenewal(db, found.id)
    return found.names
  })

/** Why the certificate of a name cannot be renewed. */
function unknownName(name: string, all: readonly ListedCertificate[]): string {
  const wildcard = `*${name.slice(name.indexOf('.')).toLowerCase()}`
  const covering = name.includes('.') ? all.find(({ names }) => names.includes(wildcard)) : undefined
  if (covering === undefined) return `No certificate has the name ${quoted(name)}: svc tls list shows the names.`
  const { names } = covering
  return `${quoted(name)} is covered by the certificate for ${names.join(' and ')}: svc tls renew ${names.at(-1) ?? ''} renews it.`
}

function stateOf(certificate: ListedCertificate, emails: ReadonlyMap<number, string>): CertificateState {
  const { names, accountId, chain, error, nextAt, renewAt } = certificate
  const leaf = chain === null ? undefined : new X509Certificate(chain)
  const notAfter = leaf && Date.parse(leaf.validTo)
  return {
    names,
    account: accountId === null ? null : (emails.get(accountId) ?? null),
    issuer: leaf === undefined ? null : issuerOf(leaf),
    not_after: notAfter === undefined ? null : timestamp(notAfter),
    status: statusOf(certificate, notAfter),
    error,
    renew_at: renewAt === null ? null : timestamp(renewAt),
    next_attempt: timestamp(nextAt),
  }
}

/** @param notAfter milliseconds since the epoch */
function statusOf(
  { leasedUntil, failingSince }: ListedCertificate,
  notAfter: number | undefined,
): CertificateState['status'] {
  const now = Date.now()
  if (notAfter !== undefined && notAfter > now) return 'issued'
  if (leasedUntil > now) return 'ordering'
  return failingSince === null ? 'waiting' : 'failed'
}

/** The common name of the issuer, or its organization. */
function issuerOf({ issuer }: X509Certificate): string {
  const fields = new Map(issuer.split('\n').map((line) => line.split('=', 2) as [string, string]))
  return fields.get('CN') ?? fields.get('O') ?? ''
}
