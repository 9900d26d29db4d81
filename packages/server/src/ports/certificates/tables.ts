import type { Generated } from 'kysely'
import { ofInstallation, type AreaTables } from '../../db/table-declaration.js'
import { acmeAccountIdentity, certificateIdentity } from './acme/certificate-store.js'

declare module '../../db/tables.js' {
  interface Tables {
    certificate: CertificateTable
    acme_account: AcmeAccountTable
  }
}

/** A certificate that svc orders and renews, or tries to. */
interface CertificateTable {
  id: Generated<number>
  /** JSON array, sorted: the same through all renewals. */
  names: string
  /** When the CA is asked or the order is repeated; during an order, the end of its lease. */
  next_at: number
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
  },
} satisfies AreaTables
