import { X509Certificate } from 'node:crypto'
import type { Config } from '../../config/config.js'
import type { Database } from '../../db/port.js'
import { lostAccounts } from '../../ports/certificates/acme/account-key-store.js'
import { certificateList, type ListedCertificate } from '../../ports/certificates/acme/certificate-store.js'
import { keyProblems } from '../../ports/vault/configured-key.js'
import { accountEmails } from '../account-email-store.js'
import { openVault } from '../../ports/vault/envelope-vault.js'
import { keyStore } from '../../ports/vault/key-store.js'
import type { Report } from './finding.js'

/** Users see the failures of their certificates themselves. */
const shownOfAccounts = 10

/**
 * Reports the certificates that svc could not order or renew, with the words of the CA.
 * @param database undefined if it cannot be read, which its section reports
 * @returns the names of those that are valid
 */
export async function reportOrdered(
  database: Database | undefined,
  vault: Config['vault'],
  report: Report,
): Promise<readonly (readonly string[])[]> {
  if (database === undefined) return []
  const all = await certificateList(database)
  for (const one of all) if (one.accountId === null) reportState(one, undefined, report)
  const ofAccounts = all.filter(({ accountId, error }) => accountId !== null && error !== null)
  const shown = ofAccounts.slice(0, shownOfAccounts)
  const emails = await accountEmails(
    database,
    shown.flatMap(({ accountId }) => accountId ?? []),
  )
  for (const one of shown) reportState(one, emails.get(one.accountId ?? 0) ?? 'a deleted account', report)
  const more = ofAccounts.length - shownOfAccounts
  if (more > 0)
    report.warning(`${String(more)} more certificates of accounts could not be ordered.`, 'svc tls list shows them.')
  await reportAccounts(database, vault, report)
  return all.filter((one) => isValid(one)).map(({ names }) => names)
}

/** Whether one of the certificates is for a host, if only by a wildcard. */
export const isCovered = (host: string, certificates: readonly (readonly string[])[]): boolean =>
  certificates.some((names) => names.includes(host) || names.includes(`*${host.slice(host.indexOf('.'))}`))

const endOf = ({ notAfter, chain }: ListedCertificate): number =>
  notAfter ?? (chain === null ? 0 : Date.parse(new X509Certificate(chain).validTo))

const isValid = (certificate: ListedCertificate): boolean => endOf(certificate) > Date.now()

/** How long after its time a renewal is late, in milliseconds. */
const lateMs = 86_400_000

/** @param account the email of its account; undefined for a certificate of the server */
function reportState(certificate: ListedCertificate, account: string | undefined, report: Report): void {
  const { names, chain, error, nextAt, renewAt, failingSince } = certificate
  const named = `${names.join(' and ')}${account === undefined ? '' : ` of ${account}`}`
  const until = dayOf(endOf(certificate))
  const since = failingSince === null ? '' : ` The orders have failed since ${new Date(failingSince).toISOString()}.`
  const remedy = `svc tries again at ${new Date(nextAt).toISOString()}; svc tls renew ${names.at(-1) ?? ''} does it now.`
  if (!isValid(certificate)) {
    if (chain === null && error === null) return
    const ended = chain === null ? '' : ` The last one expired on ${until}.`
    const message = `There is no valid certificate for ${named}.${ended} ${error ?? ''}`.trimEnd() + since
    // A user is shown the same, and mostly can change it.
    if (account === undefined) report.error(message, remedy)
    else report.warning(message, remedy)
  } else if (error !== null)
    report.warning(
      `The certificate for ${named} is valid until ${until}, but could not be renewed. ${error}${since}`,
      remedy,
    )
  else if (renewAt !== null && renewAt < Date.now() - lateMs)
    report.warning(
      `The certificate for ${named} is valid until ${until}, and should have been renewed on ${dayOf(renewAt)}.`,
      'Start svc with SVC_ACME=on: a running server renews it.',
    )
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** A problem of the master key itself is in its own section. */
async function reportAccounts(database: Database, config: Config['vault'], report: Report): Promise<void> {
  const state = await keyStore(database).state()
  if (state === undefined || (await keyProblems(config, state)).length > 0) return
  for (const directory of await lostAccounts(database, await openVault(config, database)))
    report.warning(
      `The key of the account at ${directory} does not decrypt.`,
      'svc opens another account with the next order; an external account binding may have to be a new one.',
    )
}
