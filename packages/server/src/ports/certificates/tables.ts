import type { Generated } from 'kysely'
import { ofInstallation, type AreaTables } from '../../db/table-declaration.js'
import { acmeAccountIdentity } from './acme/account-key-store.js'
import { certificateIdentity } from './acme/certificate-store.js'

declare module '../../db/tables.js' {
  interface Tables {
    certificate: CertificateTable
    acme_account: AcmeAccountTable
    acme_proof: AcmeProofTable
  }
}

/** A certificate that svc orders and renews, or tries to. */
interface CertificateTable {
  id: Generated<number>
  /** JSON array, sorted: the same through all renewals. */
  names: string
  /** When the CA is asked or the order is repeated. */
  next_at: number
  /** The end of the lease of the process that orders it; 0 without one. */
  leased_until: Generated<number>
  /** Failed orders in a row. */
  failures: number
  /** Why the last order failed, as a sentence; null after a success. */
  error: string | null
  /** PEM; null before the first order, like the columns below. */
  chain: string | null
  renew_at: number | null
  ordered_at: number | null
  /** When the first certificate was stored. */
  since: number | null
  master_key_id: string | null
  /** The private key in PEM. */
  sealed: Buffer | null
}

/** The key of the account at a CA. */
interface AcmeAccountTable {
  id: Generated<number>
  /** The URL of the CA's directory. */
  directory: string
  master_key_id: string
  sealed: Buffer
}

/** What the ports of the server answer to a CA while an order is under way. */
interface AcmeProofTable {
  type: 'http-01' | 'tls-alpn-01'
  /** The token of http-01, or the name of tls-alpn-01. */
  subject: string
  /** The key authorization of http-01, or its SHA-256 in base64url for tls-alpn-01. */
  value: string
  expires_at: number
}

export const certificateTables = {
  tables: {
    certificate: {
      ...ofInstallation('of the server; another one orders anew'),
      hasGeneratedId: true,
      sealed: (_, { names }) => certificateIdentity(names),
    },
    acme_account: {
      ...ofInstallation('of the server; another one opens another account'),
      hasGeneratedId: true,
      sealed: (_, { directory }) => acmeAccountIdentity(directory),
    },
    acme_proof: ofInstallation('of orders of certificates that are under way'),
  },
} satisfies AreaTables
