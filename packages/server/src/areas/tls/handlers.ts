import type { Areas } from '@svc/contract'
import { ApiError } from '@svc/contract/errors'
import type { Handlers } from '../../http/handler.js'
import type { ReadJournal } from '../../journal/read-journal.js'
import type { Vault } from '../../ports/vault/port.js'
import type { Account } from '../../shared/account.js'
import { allows } from '../../shared/rules.js'
import { refuseInvisible } from '../../shared/visible-text.js'
import { certificateToJson, type AccountCertificate } from './certificate.js'
import { encryptKey } from './key-export.js'
import type { TlsStore } from './store.js'

export interface TlsDependencies {
  readonly certificates: TlsStore
  readonly journal: ReadJournal
  readonly vault: Pick<Vault, 'open'>
  /** Whether the server orders certificates. */
  readonly isOn: boolean
  /** The canonical name of a zone; never throws. */
  readonly canonicalZone: (given: string) => string
}

/** Certificates of zones, and of the own domains of sites. */
export function tlsHandlers({
  certificates,
  journal,
  vault,
  isOn,
  canonicalZone,
}: TlsDependencies): Handlers<Areas['tls']> {
  const toJson = (certificate: AccountCertificate, now: number) =>
    certificateToJson(isOn ? certificate : notOrdered(certificate), now)
  const stateOf = async (account: Account, zone: string) => toJson(await certificates.find(account, zone), Date.now())
  return {
    async list(_input, { account }) {
      const now = Date.now()
      const readable = (await certificates.list(account)).filter(isReadable(account)).toSorted(byName)
      return {
        certificates: readable.map((certificate) => toJson(certificate, now)),
        unavailable: isOn ? null : isOffMessage,
      }
    },

    async order({ body }, { account }) {
      const zone = canonicalZone(body.zone)
      requireOn(isOn)
      await certificates.order(account, zone)
      return stateOf(account, zone)
    },

    async renew({ body }, { account }) {
      const zone = canonicalZone(body.zone)
      requireOn(isOn)
      await certificates.renew(account, zone)
      return stateOf(account, zone)
    },

    async delete({ body }, { account }) {
      const zone = canonicalZone(body.zone)
      await certificates.remove(account, zone)
      return { zone, deleted: true }
    },

    async key({ body: { zone: given, passphrase } }, { account }) {
      // A file with passphrases has one on each line.
      refuseInvisible('passphrase', passphrase)
      const zone = canonicalZone(given)
      const { chain, sealed, identity } = await certificates.withKey(account, zone)
      const key = encryptKey(await vault.open(sealed, identity), passphrase)
      const read = { area: 'tls', action: 'key_download', object: zone, state: chain } as const
      await journal.note({ accountId: account.id, actor: account.actor, ...read })
      return { certificate: chain, private_key: key }
    },
  }
}

const isOffMessage = 'This server orders no certificates: its operator has not set SVC_ACME.'

/** A certificate as a server without ACME has it. */
const notOrdered = (certificate: AccountCertificate): AccountCertificate => ({
  ...certificate,
  nextAt: null,
  error: certificate.error ?? isOffMessage,
})

function requireOn(isOn: boolean): void {
  if (!isOn) throw new ApiError('bad_request', isOffMessage)
}

const isReadable =
  ({ rules }: Account) =>
  ({ zone, site }: AccountCertificate): boolean =>
    allows(rules, { kind: 'zone', name: zone, access: 'read' }) &&
    (site === null || allows(rules, { kind: 'site', name: site, access: 'read' }))

/** By the name without the wildcard. */
const byName = (a: AccountCertificate, b: AccountCertificate): number => {
  const [one = '', other = ''] = [a.names.at(-1), b.names.at(-1)]
  return one < other ? -1 : one > other ? 1 : 0
}
