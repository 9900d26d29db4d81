import type { Logger } from 'pino'
import type { Database } from '../../../db/port.js'
import type { Vault } from '../../vault/port.js'
import { accountKeyStore } from './account-key-store.js'
import { AcmeCertificates } from './acme-certificates.js'
import { certificateStore } from './certificate-store.js'
import { openProofStore } from './open-proof-store.js'
import { servedCertificateStore } from './served-certificate-store.js'

interface AcmeDependencies {
  readonly database: Database
  readonly vault: Vault
  readonly log: Logger
}

/** Loads the certificates that svc has ordered, and what it answers to CAs. */
export async function openAcme({ database, vault, log }: AcmeDependencies) {
  const store = certificateStore(database, vault)
  const certificates = await AcmeCertificates.open({ database, store: servedCertificateStore(database, vault), log })
  return { store, accounts: accountKeyStore(database, vault, log), certificates, openProofs: openProofStore(database) }
}
