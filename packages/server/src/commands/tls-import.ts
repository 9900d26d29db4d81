import { readFile } from 'node:fs/promises'
import type { KeyObject } from 'node:crypto'
import type { Config } from '../config/config.js'
import {
  certificateList,
  certificateStore,
  type ListedCertificate,
} from '../ports/certificates/acme/certificate-store.js'
import { renewalTime } from '../ports/certificates/acme/renewal.js'
import {
  certificatesIn,
  checkCertificate,
  keysIn,
  UnusableCertificate,
  type CheckedCertificate,
} from '../ports/certificates/check.js'
import { reasonOf } from '../ports/certificates/files/list.js'
import { openVault } from '../ports/vault/envelope-vault.js'
import { operatorActor } from '../shared/actor.js'
import { OperatorError } from '../shared/operator-error.js'
import { quoted } from '../shared/quoted.js'
import { timestamp } from '../shared/timestamp.js'
import { withExistingDatabase } from './with-database.js'

export interface CertificateFiles {
  /** The certificate with its chain, in PEM. */
  readonly certificate: string
  /** Its private key, in PEM. */
  readonly key: string
}

export interface ImportedCertificate {
  readonly names: readonly string[]
  readonly not_after: string
  /** When svc renews it, unless the CA says otherwise. */
  readonly renew_at: string
}

/**
 * `svc tls import`: stores a certificate of another program with its key. Running servers serve it at once, and renew it when it is due.
 * @param name one of the names of a wanted certificate; undefined for all that it is for
 * @returns what it replaces, by the names that svc wants
 * @throws OperatorError for a file that cannot be used, and a certificate that has not all names of one that svc wants
 */
export async function importCertificate(
  { database, vault: vaultConfig }: Pick<Config, 'database' | 'vault'>,
  files: CertificateFiles,
  name: string | undefined,
): Promise<readonly ImportedCertificate[]> {
  const { certificate, key } = await readPair(files)
  return withExistingDatabase(database, async (db) => {
    const replaced = choose(await certificateList(db), certificate, { file: files.certificate, name })
    const store = certificateStore(db, await openVault(vaultConfig, db))
    const now = Date.now()
    const actor = operatorActor('svc tls import')
    const { validFrom, validUntil, chain } = certificate
    const renewAt = Math.round(renewalTime({ orderedAt: now, validFrom, validUntil }, undefined, Math.random()))
    for (const { id, accountId, names } of replaced)
      // Without a lease: an order that is under way goes on. Due at once: the CA is asked about its renewal.
      await store.replace(
        { id, accountId, names, leasedUntil: 0 },
        { chain, key },
        { now, nextAt: now, renewAt },
        actor,
      )
    return replaced.map(({ names }) => ({ names, not_after: timestamp(validUntil), renew_at: timestamp(renewAt) }))
  })
}

interface Pair {
  readonly certificate: CheckedCertificate
  readonly key: KeyObject
}

async function readPair({ certificate: file, key: keyFile }: CertificateFiles): Promise<Pair> {
  const chain = await readPem(file, certificatesIn)
  const [leaf] = chain
  if (leaf === undefined) throw new OperatorError(`${file}: It has no certificate in PEM.`)
  const keys = await readPem(keyFile, keysIn)
  if (keys.length === 0) throw new OperatorError(`${keyFile}: It has no private key in PEM.`)
  const key = keys.find((one) => leaf.checkPrivateKey(one))
  if (key === undefined) throw new OperatorError(`${keyFile}: The private key does not fit the certificate in ${file}.`)
  const certificate = inFile(file, () => checkCertificate(chain, key))
  const { validFrom, validUntil } = certificate
  if (validUntil <= Date.now()) throw new OperatorError(`${file}: The certificate has expired on ${dayOf(validUntil)}.`)
  if (validFrom > Date.now())
    throw new OperatorError(`${file}: The certificate is not valid before ${timestamp(validFrom)}.`)
  return { certificate, key }
}

async function readPem<T>(file: string, parse: (text: string) => readonly T[]): Promise<readonly T[]> {
  const text = await readFile(file, 'latin1').catch(async (error: unknown) => {
    throw new OperatorError(`${file}: ${await reasonOf(file)}`, 1, { cause: error })
  })
  return inFile(file, () => parse(text))
}

/** Names the file in an error. */
function inFile<R>(file: string, work: () => R): R {
  try {
    return work()
  } catch (error) {
    if (error instanceof UnusableCertificate) throw new OperatorError(`${file}: ${error.message}`, 1, { cause: error })
    throw error
  }
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The certificates that one takes the place of. */
function choose(
  wanted: readonly ListedCertificate[],
  certificate: CheckedCertificate,
  { file, name }: { readonly file: string; readonly name: string | undefined },
): readonly ListedCertificate[] {
  if (wanted.length === 0)
    throw new OperatorError('svc wants no certificates: SVC_ACME=on starts it, and SVC_TLS_CERT serves files.')
  const named = name?.toLowerCase()
  const asked = named === undefined ? wanted : wanted.filter(({ names }) => names.includes(named))
  if (asked.length === 0)
    throw new OperatorError(`svc wants no certificate with the name ${quoted(name ?? '')}. ${wants(wanted)}`)
  const covered = asked.filter(({ names }) => names.every((one) => certificate.names.includes(one)))
  // An account can download its key: that must open no connection for the names of others.
  const usable = covered.filter(
    ({ accountId, names }) => accountId === null || names.length === certificate.names.length,
  )
  if (usable.length > 0) return usable
  const rule = covered.length > 0 ? 'That of an account must have no other names.' : 'It must have all names of one.'
  throw new OperatorError(`${file}: The certificate is for ${shown(certificate.names)}. ${wants(asked)} ${rule}`)
}

const shownMax = 10

const wants = (certificates: readonly ListedCertificate[]): string =>
  `svc wants certificates for ${shown(
    certificates.map(({ names }) => names.join(' and ')),
    '; ',
  )}.`

const shown = (texts: readonly string[], separator = ', '): string =>
  texts.length > shownMax
    ? `${texts.slice(0, shownMax).join(separator)}${separator}and ${String(texts.length - shownMax)} more`
    : texts.join(separator)
