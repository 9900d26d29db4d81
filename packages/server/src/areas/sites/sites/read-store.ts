import { forbidden, notFound } from '@svc/contract/errors'
import type { Database, Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import { requireSite, siteLimitsOf, type SiteLimits } from '../limits.js'
import { siteColumns, toSite, type StoredSite } from './site.js'

/** Served by the unique index on name. */
const byName = prepared((db, p: { name: string }) =>
  db.selectFrom('site').where('name', '=', p.name).select(siteColumns),
)

/** Locked until the transaction ends. SQLite has one writer at a time and no row locks. */
const lockedByName = prepared((db, p: { name: string }, dialect) =>
  db
    .selectFrom('site')
    .where('name', '=', p.name)
    .select(siteColumns)
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

/** Served by site_by_account (account_id, deployed_at desc, id desc). */
const ofAccount = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('site')
    .where('account_id', '=', p.accountId)
    .select(siteColumns)
    .orderBy('deployed_at', 'desc')
    .orderBy('id', 'desc'),
)

/** Served by site_by_account. */
const counted = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('site')
    .where('account_id', '=', p.accountId)
    .select((query) => query.fn.countAll<number>().as('sites')),
)

/** Served by site_version_by_site. */
const versions = prepared((db, p: { siteId: number }) =>
  db
    .selectFrom('site_version')
    .where('site_id', '=', p.siteId)
    .select(['id', 'number', 'files', 'size', 'deployed_at'])
    .$narrowType<{ deployed_at: number; number: number }>()
    .orderBy('deployed_at', 'desc')
    .orderBy('id', 'desc'),
)

/** A version that is kept. */
export interface KeptVersion {
  readonly id: number
  /** Among the versions of the site, from 1. */
  readonly number: number
  readonly files: number
  /** In bytes. */
  readonly size: number
  readonly deployedAt: number
}

/**
 * The site that a deploy replaces, locked until the transaction ends; undefined for a new name.
 * @throws ApiError `forbidden` for a name of another account; `bad_request` for an account that may have no further site
 */
export async function lockSite(
  tx: Transaction,
  accountId: number,
  name: string,
  limits: SiteLimits,
): Promise<StoredSite | undefined> {
  const row = await tx.one(lockedByName, { name })
  if (row === undefined) await requireFurtherSite(tx, accountId, limits)
  return row && own(accountId, toSite(row))
}

/** A site of the account, locked until the transaction ends. @throws ApiError `not_found`; `forbidden` for one of another account */
export const lockOwnSite = async (tx: Transaction, accountId: number, name: string): Promise<StoredSite> =>
  existing(accountId, name, await tx.one(lockedByName, { name }))

function existing(accountId: number, name: string, row: Parameters<typeof toSite>[0] | undefined): StoredSite {
  if (row === undefined) throw notFound(`site ${name}`)
  return own(accountId, toSite(row))
}

function own(accountId: number, site: StoredSite): StoredSite {
  if (site.accountId !== accountId) throw forbidden('site')
  return site
}

async function requireFurtherSite(reader: Reader, accountId: number, limits: SiteLimits): Promise<void> {
  requireSite(await countSites(reader, accountId), limits)
}

const countSites = async (reader: Reader, accountId: number): Promise<number> =>
  (await reader.one(counted, { accountId }))?.sites ?? 0

export type SiteReadStore = ReturnType<typeof siteReadStore>

export const siteReadStore = (db: Database, limits: SiteLimits) => ({
  /** Most recently deployed first. */
  list: async ({ id }: Account): Promise<StoredSite[]> => (await db.all(ofAccount, { accountId: id })).map(toSite),

  count: ({ id }: Account): Promise<number> => countSites(db, id),

  /** Checks a name before the archive is read. The publication checks it again. @throws ApiError as `lockSite` */
  async checkName(account: Account, name: string): Promise<void> {
    const row = await db.one(byName, { name })
    if (row === undefined) await requireFurtherSite(db, account.id, siteLimitsOf(account, limits))
    else own(account.id, toSite(row))
  },

  /** @throws ApiError `not_found`; `forbidden` for a site of another account */
  async versions({ id }: Account, name: string): Promise<{ site: StoredSite; versions: KeptVersion[] }> {
    const site = existing(id, name, await db.one(byName, { name }))
    const rows = await db.all(versions, { siteId: site.id })
    return { site, versions: rows.map(({ deployed_at, ...version }) => ({ ...version, deployedAt: deployed_at })) }
  },
})
