import { badRequest } from '@svc/contract/errors'
import { sql } from 'kysely'
import { id, text, time } from '../../db/columns.js'
import { isServed } from '../../db/served-accounts.js'
import { isVerified } from '../../db/verified-claims.js'
import { ofAccount, type AreaTables, type RowRule, type WantedCertificate } from '../../db/table-declaration.js'
import { parseName } from '../../ports/dns/presentation/name.js'

declare module '../../db/tables.js' {
  interface Tables {
    tls_zone: TlsZoneTable
  }
}

/** A zone for which an account has asked for a certificate. The certificate itself is one of the server. */
interface TlsZoneTable {
  account_id: number
  /** Absolute, in lower case, without a trailing dot. */
  zone: string
  created_at: number
}

const tls_zone: RowRule<'tls_zone'> = {
  columns: { account_id: id, zone: text(253), created_at: time },
  request: ({ zone }) => ({ operation: 'tls.order', body: { zone } }),
  check: ({ zone }) => {
    if (parseName(zone).labels?.join('.') !== zone) throw badRequest('zone', 'must be in canonical form')
  },
}

/** The zones that are verified for the accounts that have asked. */
const wantedCertificates = () => sql<WantedCertificate>`
  select tls_zone.account_id, tls_zone.zone, cast(null as text) as site, cast(null as text) as host
  from tls_zone where ${isVerified('tls_zone')} and ${isServed('tls_zone.account_id')}`

export const tlsTables = {
  tables: { tls_zone: { ...ofAccount, key: ['account_id', 'zone'], rule: tls_zone } },
  wantedCertificates,
} satisfies AreaTables
