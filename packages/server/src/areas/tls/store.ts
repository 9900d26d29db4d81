import { ApiError, notFound } from '@svc/contract/errors'
import { sql } from 'kysely'
import { lockAccount } from '../../db/account-lock-store.js'
import { noteChange } from '../../db/change-clock-store.js'
import type { Database, Reader, Transaction } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import { isVerified } from '../../db/verified-claims.js'
import { recordEvent } from '../../journal/event-store.js'
import {
  certificateIdentity,
  isNotOfOthers,
  namesKeyOf,
  namesOf,
  type NamesKey,
} from '../../ports/certificates/acme/certificate-row-store.js'
import { reserveInTransaction } from '../../ports/certificates/acme/order-limit-store.js'
import {
  overLimit,
  type Exceeded,
  type NewOrderLimits,
  type OrderLimits,
} from '../../ports/certificates/acme/order-limits.js'
import type { SecretIdentity } from '../../ports/vault/port.js'
import type { Account } from '../../shared/account.js'
import type { Actor } from '../../shared/actor.js'
import { limitOf } from '../../shared/account-limits.js'
import { timestamp } from '../../shared/timestamp.js'
import { namesOfZone, notVerified, unordered, type AccountCertificate } from './certificate.js'

/** The zones for which accounts have asked for certificates, and the certificates of an account. */

interface Key {
  readonly accountId: number
  /** Canonical. */
  readonly zone: string
}

interface ActingKey extends Key {
  readonly actor: Actor
}

interface OwnNames {
  readonly accountId: number
  readonly names: NamesKey
}

/** Served by dns_claim_of_account or dns_claim_by_zone. */
const verifiedClaim = prepared((db, p: Key) =>
  db
    .selectFrom('dns_claim')
    .where('account_id', '=', p.accountId)
    .where('zone', '=', p.zone)
    .where('status', '=', 'verified')
    .select('zone'),
)

/** Served by certificate_of_account (account_id, names). */
const ofAccount = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('certificate')
    .where('account_id', '=', p.accountId)
    .where('wanted', '=', 1)
    .where(isNotOfOthers)
    .select(['names', 'zone', 'site', 'chain', 'not_after as notAfter', 'renew_at as renewAt', 'next_at as nextAt'])
    .select(['leased_until as leasedUntil', 'failures', 'error', 'created_at as createdAt']),
)

/** Served by the primary key, and by dns_claim_of_account. */
const zonesOf = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('tls_zone')
    .where('account_id', '=', p.accountId)
    .select(['zone', 'created_at as createdAt'])
    .select(sql<number>`case when ${isVerified('tls_zone')} then 1 else 0 end`.as('verified')),
)

/** Served by the primary key. */
const ownZone = prepared((db, p: Key) =>
  db.selectFrom('tls_zone').where('account_id', '=', p.accountId).where('zone', '=', p.zone).select('zone'),
)

/** Those of own domains. Served by certificate_of_account. */
const countedDomains = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('certificate')
    .where('account_id', '=', p.accountId)
    .where('wanted', '=', 1)
    .where('site', 'is not', null)
    .select((query) => query.fn.countAll<number>().as('n')),
)

/** Served by the primary key. */
const countedZones = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('tls_zone')
    .where('account_id', '=', p.accountId)
    .select((query) => query.fn.countAll<number>().as('n')),
)

const insertZone = prepared((db, p: Key & { now: number }) =>
  db.insertInto('tls_zone').values({ account_id: p.accountId, zone: p.zone, created_at: p.now }),
)

const removeZone = prepared((db, p: Key) =>
  db.deleteFrom('tls_zone').where('account_id', '=', p.accountId).where('zone', '=', p.zone),
)

const insertCertificate = prepared((db, p: Key & OwnNames & { now: number }) =>
  db
    .insertInto('certificate')
    .values({ account_id: p.accountId, zone: p.zone, names: p.names, created_at: p.now, next_at: p.now, failures: 0 })
    .onConflict((conflict) => conflict.doNothing()),
)

/** Served by certificate_of_account. */
const setWanted = prepared((db, p: OwnNames & { wanted: number }) =>
  db
    .updateTable('certificate')
    .set({ wanted: p.wanted })
    .where('account_id', '=', p.accountId)
    .where('names', '=', p.names),
)

/** Served by certificate_of_account. */
const queue = prepared((db, p: OwnNames & { now: number }) =>
  db
    .updateTable('certificate')
    .set({ next_at: p.now, renew_at: p.now })
    .where('account_id', '=', p.accountId)
    .where('names', '=', p.names),
)

/** Served by certificate_of_account. */
const withKey = prepared((db, p: OwnNames) =>
  db
    .selectFrom('certificate')
    .where('account_id', '=', p.accountId)
    .where('names', '=', p.names)
    .select(['chain', 'sealed', 'next_at as nextAt', 'leased_until as leasedUntil']),
)

async function requireZone(reader: Reader, key: Key): Promise<void> {
  if ((await reader.one(verifiedClaim, key)) !== undefined) return
  const message = 'This zone is not verified for this account, or it does not exist.'
  throw new ApiError('forbidden_zone', message, { zone: key.zone })
}

const noCertificate = (zone: string) => notFound(`certificate for ${zone}: order one first`)

async function requireOrdered(reader: Reader, key: Key): Promise<void> {
  await requireZone(reader, key)
  if ((await reader.one(ownZone, key)) === undefined) throw noCertificate(key.zone)
}

const ownNames = ({ accountId, zone }: Key): OwnNames => ({ accountId, names: namesKeyOf(namesOfZone(zone)) })

/** The lock key of units that lock an account to count its certificates (see `Unit.lockKey`). */
const lockKey = ({ accountId }: Key): string => `certificates of ${String(accountId)}`

type TlsEvent = Parameters<typeof recordEvent<'tls'>>[1]

const record = (tx: Transaction, { accountId, zone: object, actor }: ActingKey, action: TlsEvent['action']): void => {
  recordEvent(tx, { accountId, at: Date.now(), area: 'tls', action, object, actor })
}

const orderForZone = unit(
  import.meta,
  'orderForZone',
  lockKey,
  async (tx, acting: ActingKey, max: number, now: number) => {
    const { actor: _actor, ...key } = acting
    lockAccount(tx, key.accountId)
    await requireZone(tx, key)
    if ((await tx.one(ownZone, key)) !== undefined) return
    const { accountId } = key
    const certificates =
      (await tx.only(countedZones, { accountId })).n + (await tx.only(countedDomains, { accountId })).n
    if (certificates >= max)
      throw new ApiError(
        'bad_request',
        `The account has ${String(certificates)} certificates, and the maximum is ${String(max)}: delete one first.`,
      )
    const names = ownNames(key)
    tx.send(insertZone, { ...key, now })
    tx.send(insertCertificate, { ...key, ...names, now })
    tx.send(setWanted, { ...names, wanted: 1 })
    record(tx, acting, 'certificate_order')
    noteChange(tx, 'wanted-certificates')
    noteChange(tx, 'certificates')
  },
)

/** A no-op for an order that is due or under way. @returns a limit that does not allow another certificate now; undefined otherwise */
const renewForZone = unit(
  import.meta,
  'renewForZone',
  lockKey,
  async (tx, key: ActingKey, limits: NewOrderLimits, now: number): Promise<Exceeded | undefined> => {
    lockAccount(tx, key.accountId)
    await requireOrdered(tx, key)
    const names = ownNames(key)
    const current = await tx.one(withKey, names)
    if (current !== undefined && (current.nextAt <= now || current.leasedUntil > now)) return undefined
    // The first order is counted when it begins; a renewal that is due by itself is not counted.
    if (current !== undefined && current.chain !== null) {
      const reserved = await reserveInTransaction(tx, { accountId: key.accountId, domain: key.zone }, limits, now)
      if (typeof reserved !== 'number') return reserved
    }
    tx.send(queue, { ...names, now })
    record(tx, key, 'renewal_request')
    noteChange(tx, 'wanted-certificates')
    return undefined
  },
)

const removeForZone = unit(import.meta, 'removeForZone', async (tx, key: ActingKey) => {
  if ((await tx.run(removeZone, key)) === 0) {
    await requireZone(tx, key)
    throw noCertificate(key.zone)
  }
  tx.send(setWanted, { ...ownNames(key), wanted: 0 })
  record(tx, key, 'certificate_delete')
  // Hosts that it covered need their own.
  noteChange(tx, 'wanted-certificates')
  noteChange(tx, 'certificates')
})

const actingKey = ({ id: accountId, actor }: Account, zone: string): ActingKey => ({ accountId, zone, actor })

/** A certificate with its encrypted key. */
interface SealedCertificate {
  readonly chain: string
  readonly sealed: Uint8Array
  readonly identity: SecretIdentity
}

export type TlsStore = ReturnType<typeof tlsStore>

/** Certificates of an account. Zones are canonical. @param limits the settings */
export const tlsStore = (db: Database, { certificates: max, ...orderLimits }: OrderLimits) => {
  const list = async ({ id: accountId }: Account): Promise<AccountCertificate[]> => {
    const [rows, zones] = [await db.all(ofAccount, { accountId }), await db.all(zonesOf, { accountId })]
    const ofZones = new Map(rows.filter(({ site }) => site === null).map((row) => [row.zone, row]))
    return [
      ...rows
        .filter(({ site }) => site !== null)
        .map((row) => ({ ...row, names: namesOf(row.names), zone: row.zone ?? '' })),
      ...zones.map(({ zone, createdAt, verified }) => ({
        ...(ofZones.get(zone) ?? (verified === 1 ? unordered : notVerified(zone))),
        names: namesOfZone(zone),
        zone,
        createdAt,
      })),
    ]
  }
  return {
    /** In no order. */
    list,

    /** The certificate of a zone that the account has asked for. */
    async find(account: Account, zone: string): Promise<AccountCertificate> {
      const found = (await list(account)).find((one) => one.site === null && one.zone === zone)
      if (found === undefined) throw noCertificate(zone)
      return found
    },

    /** A no-op for a zone that the account has asked for. @throws ApiError `forbidden_zone`; `bad_request` beyond the limit */
    order: (account: Account, zone: string): Promise<void> =>
      db.write(orderForZone, actingKey(account, zone), limitOf(account, 'tls_certificates', max), Date.now()),

    /** @throws ApiError `forbidden_zone`, `not_found`; `bad_request` beyond the limits of orders */
    async renew(account: Account, zone: string): Promise<void> {
      const now = Date.now()
      const exceeded = await db.write(renewForZone, actingKey(account, zone), orderLimits, now)
      if (exceeded === undefined) return
      const { message, nextAt } = overLimit(exceeded, now)
      throw new ApiError('bad_request', `${message} Repeat it after ${timestamp(nextAt)}.`)
    },

    /** The certificate is not renewed any more. @throws ApiError `forbidden_zone`, `not_found` */
    remove: (account: Account, zone: string): Promise<void> => db.write(removeForZone, actingKey(account, zone)),

    /** @throws ApiError `forbidden_zone`; `not_found`, also before the first order succeeds */
    async withKey(account: Account, zone: string): Promise<SealedCertificate> {
      const key = { accountId: account.id, zone }
      await requireOrdered(db, key)
      const names = ownNames(key)
      const row = await db.one(withKey, names)
      const { chain, sealed } = row ?? { chain: null, sealed: null }
      if (chain === null || sealed === null)
        throw notFound(`certificate for ${zone} yet: GET /v1/tls/certificates says why`)
      return { chain, sealed, identity: certificateIdentity(account.id, names.names) }
    },
  }
}
