import type { Generated } from 'kysely'
import { ofAccount, ofInstallation, type AreaTables } from '../../db/table-declaration.js'
import { removeCertificatesPart } from './account-removal-store.js'
import { acmeAccountIdentity } from './acme/account-key-store.js'
import { certificateIdentity } from './acme/certificate-row-store.js'

declare module '../../db/tables.js' {
  interface Tables {
    certificate: CertificateTable
    certificate_order: CertificateOrderTable
    acme_account: AcmeAccountTable
    acme_proof: AcmeProofTable
  }
}

/** A certificate that svc orders and renews, or tries to. */
interface CertificateTable {
  id: Generated<number>
  /** Null for the server's own. With the names, it identifies the certificate: another account has another key. */
  account_id: number | null
  /** The zone that the names are in. While another account has verified it, the certificate is not served. Null for the server's own. */
  zone: string | null
  /** The site whose own domain it is for; null for the server's own and for those of zones. */
  site: string | null
  /** JSON array, sorted: the same through all renewals. */
  names: string
  /** 0 for one that is not renewed any more, and removed when it expires. */
  wanted: Generated<number>
  created_at: Generated<number>
  /** When the CA is asked or the order is repeated. */
  next_at: number
  /** The end of the lease of the process that orders it; 0 without one. */
  leased_until: Generated<number>
  /** Failed orders in a row. */
  failures: number
  /** Since when orders fail; null after a success. */
  failing_since: number | null
  /** Why the last order failed, as a sentence; null after a success. */
  error: string | null
  /** PEM; null before the first order, like the columns below. */
  chain: string | null
  /** When it expires. */
  not_after: number | null
  renew_at: number | null
  ordered_at: number | null
  /** When the first certificate was stored. */
  since: number | null
  master_key_id: string | null
  /** The private key in PEM. */
  sealed: Buffer | null
}

/** An order for names of an account, which counts in the limits for a week. */
interface CertificateOrderTable {
  id: Generated<number>
  account_id: number
  /** The registrable domain of the names. */
  domain: string
  ordered_at: number
  /** 1 if the CA has issued nothing: then it does not count in the limit of the domain. */
  failed: Generated<number>
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
      ...ofAccount,
      leftOut: 'another server orders anew',
      hasGeneratedId: true,
      sealed: (_, { account_id: owner, names }) => certificateIdentity(owner, names),
    },
    certificate_order: { ...ofAccount, leftOut: 'of the limits of a server', hasGeneratedId: true },
    acme_account: {
      ...ofInstallation('of the server; another one opens another account'),
      hasGeneratedId: true,
      sealed: (_, { directory }) => acmeAccountIdentity(directory),
    },
    acme_proof: ofInstallation('of orders of certificates that are under way'),
  },
  removePart: removeCertificatesPart,
} satisfies AreaTables
