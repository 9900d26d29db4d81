import { sql } from 'kysely'
import { badRequestSentence, forbidden, notFound } from '@svc/contract/errors'
import { noteChange } from '../../../db/change-clock-store.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import { siteLimitsOf, type SiteLimits } from '../limits.js'
import { accountLockKey, lockUse } from '../versions/use-store.js'
import { lateDeploy } from '../versions/version-store.js'
import { recordSiteEvent, servedFields } from './events.js'
import { lockOwnSite, lockSite } from './read-store.js'
import { siteColumns, toSite, type StoredSite } from './site.js'

/** How many versions of a site are kept, the served one included. */
const versionsMax = 5

/** What the served version determines of a site. */
interface Served {
  readonly versionId: number
  readonly files: number
  readonly size: number
  readonly now: number
}

const insert = prepared((db, p: Served & { accountId: number; name: string }) =>
  db
    .insertInto('site')
    .values({
      account_id: p.accountId,
      name: p.name,
      version_id: p.versionId,
      files: p.files,
      size: p.size,
      created_at: p.now,
      deployed_at: p.now,
      last_version: 1,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning(siteColumns),
)

/** Also counts the version. An imported row may have a lower number than its versions. Served by site_version_number (site_id, number). */
const serveNew = prepared((db, p: Served & { siteId: number }, dialect) =>
  db
    .updateTable('site')
    .set((row) => ({
      version_id: p.versionId,
      files: p.files,
      size: p.size,
      deployed_at: p.now,
      last_version: sql<number>`${sql.raw(dialect === 'postgres' ? 'greatest' : 'max')}(last_version, coalesce(${row
        .selectFrom('site_version')
        .where('site_id', '=', p.siteId)
        .select((version) => version.fn.max('number').as('number'))}, 0)) + 1`,
    }))
    .where('id', '=', p.siteId)
    .returning(siteColumns),
)

const serve = prepared((db, p: Served & { siteId: number }) =>
  db
    .updateTable('site')
    .set({ version_id: p.versionId, files: p.files, size: p.size, deployed_at: p.now })
    .where('id', '=', p.siteId)
    .returning(siteColumns),
)

/** Served by the primary key or site_version_by_site (site_id, id desc). */
const unpublished = prepared((db, p: { accountId: number; id: number }) =>
  db
    .selectFrom('site_version')
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .where('site_id', 'is', null)
    .select(['files', 'size']),
)

/** Served by the primary key or site_version_by_site (site_id, id desc). */
const published = prepared((db, p: { siteId: number; id: number }) =>
  db.selectFrom('site_version').where('id', '=', p.id).where('site_id', '=', p.siteId).select(['files', 'size']),
)

const attach = prepared((db, p: { id: number; siteId: number; number: number; now: number }) =>
  db
    .updateTable('site_version')
    .set({ site_id: p.siteId, number: p.number, deployed_at: p.now })
    .where('id', '=', p.id),
)

/**
 * Keeps the version that has just been published, the one that was served until then, and the newest of the others. By id: the clock
 * may have been set back. Served by site_version_by_site.
 */
const detachOld = prepared((db, p: { siteId: number; versionId: number; previousId: number; keep: number }) =>
  db
    .updateTable('site_version')
    .set({ site_id: null })
    .where('site_id', '=', p.siteId)
    .where('id', 'not in', (from) =>
      from
        .selectFrom('site_version')
        .where('site_id', '=', p.siteId)
        .select('id')
        .orderBy((row) => row('id', 'in', [p.versionId, p.previousId]), 'desc')
        .orderBy('id', 'desc')
        .limit(p.keep),
    ),
)

/** Served by site_version_by_site. */
const detachAll = prepared((db, p: { siteId: number }) =>
  db.updateTable('site_version').set({ site_id: null }).where('site_id', '=', p.siteId),
)

/** Served by site_domain_by_site. */
const domainOf = prepared((db, p: { siteId: number }) =>
  db.selectFrom('site_domain').where('site_id', '=', p.siteId).select('host').limit(1),
)

const remove = prepared((db, p: { siteId: number }) => db.deleteFrom('site').where('id', '=', p.siteId))

const publishVersion = unit(
  import.meta,
  'publishVersion',
  accountLockKey,
  async (tx, accountId: number, name: string, versionId: number, limits: SiteLimits, now: number, actor: Actor) => {
    await lockUse(tx, accountId)
    const site = await lockSite(tx, accountId, name, limits)
    const version = await tx.one(unpublished, { accountId, id: versionId })
    if (version === undefined) throw lateDeploy()
    const served = { ...version, versionId, now }
    const row = site
      ? await tx.only(serveNew, { ...served, siteId: site.id })
      : await tx.one(insert, { ...served, accountId, name })
    // Another account was faster.
    if (row === undefined) throw forbidden('site')
    tx.send(attach, { id: versionId, siteId: row.id, number: row.last_version, now })
    tx.send(detachOld, { siteId: row.id, versionId, previousId: site?.versionId ?? versionId, keep: versionsMax })
    noteChange(tx, 'sites')
    const deployed = toSite(row)
    recordSiteEvent(tx, {
      accountId,
      at: now,
      action: site ? 'site_deploy' : 'site_create',
      object: name,
      actor,
      ...(site && { before: servedFields(site) }),
      after: servedFields(deployed),
    })
    return deployed
  },
)

const restoreVersion = unit(
  import.meta,
  'restoreVersion',
  accountLockKey,
  async (tx, accountId: number, name: string, versionId: number, now: number, actor: Actor) => {
    await lockUse(tx, accountId)
    const site = await lockOwnSite(tx, accountId, name)
    if (site.versionId === versionId) return site
    const version = await tx.one(published, { siteId: site.id, id: versionId })
    if (version === undefined) throw notFound(`version ${versionId} of the site ${name}`)
    const restored = toSite(await tx.only(serve, { ...version, versionId, siteId: site.id, now }))
    noteChange(tx, 'sites')
    const [before, after] = [servedFields(site), servedFields(restored)]
    recordSiteEvent(tx, { accountId, at: now, action: 'site_restore', object: name, actor, before, after })
    return restored
  },
)

const removeSite = unit(
  import.meta,
  'removeSite',
  accountLockKey,
  async (tx, accountId: number, name: string, now: number, actor: Actor) => {
    await lockUse(tx, accountId)
    const site = await lockOwnSite(tx, accountId, name)
    const { id: siteId } = site
    // Its DNS records would be left.
    const domain = await tx.one(domainOf, { siteId })
    if (domain)
      throw badRequestSentence('name', `The site got the domain ${domain.host} at the same time: delete the site again`)
    tx.send(detachAll, { siteId })
    tx.send(remove, { siteId })
    noteChange(tx, 'sites')
    const before = servedFields(site)
    recordSiteEvent(tx, { accountId, at: now, action: 'site_delete', object: name, actor, before })
  },
)

export type SiteStore = ReturnType<typeof siteStore>

/** Changes of what a site serves. The files of versions that are no longer kept are removed by the clean-up. */
export const siteStore = (db: Database, limits: SiteLimits) => ({
  /**
   * Serves a version from now on. Of two deploys at once, the later one wins as a whole.
   * @throws ApiError `forbidden` for a name of another account; `bad_request` for an account that may have no further site;
   *   `upstream_error` for a version that has been removed because it is too old
   */
  publish: (account: Account, name: string, versionId: number): Promise<StoredSite> =>
    db.write(publishVersion, account.id, name, versionId, siteLimitsOf(account, limits), Date.now(), account.actor),

  /** Serves an earlier version from now on; a no-op for the one that is served. @throws ApiError `not_found`; `forbidden` for a site of another account */
  restore: (account: Account, name: string, versionId: number): Promise<StoredSite> =>
    db.write(restoreVersion, account.id, name, versionId, Date.now(), account.actor),

  /**
   * Removes a site without domains.
   * @throws ApiError `not_found`; `forbidden` for a site of another account; `bad_request` for a site with a domain
   */
  remove: (account: Account, name: string): Promise<void> =>
    db.write(removeSite, account.id, name, Date.now(), account.actor),
})
