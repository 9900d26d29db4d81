import { sql } from 'kysely'
import { contains, searched, startsFirst, type Searched } from '../../db/contains.js'
import type { Database } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { isNotOfOthers } from '../../ports/certificates/acme/certificate-row-store.js'
import { foundOfKindMax, type Search } from '../../shared/found.js'

/** The only name of the certificate of an own domain, which is a JSON array. */
const onlyName = sql<string>`substr(certificate.names, 3, length(certificate.names) - 4)`

/**
 * Zones by their names and wildcards, and own domains by their names and sites. Served by the primary key of tls_zone (account_id, zone) and
 * by certificate_of_account (account_id, names): reads all certificates of the account, which are limited.
 */
const named = prepared((db, p: Searched & { accountId: number; rows: number }, dialect) => {
  const zones = db
    .selectFrom('tls_zone')
    .where('account_id', '=', p.accountId)
    .select(['zone as name', sql<string>`'*.' || zone`.as('detail')])
  const domains = db
    .selectFrom('certificate')
    .where('account_id', '=', p.accountId)
    .where('wanted', '=', 1)
    .where('site', 'is not', null)
    .where(isNotOfOthers)
    .select([onlyName.as('name'), sql<string>`site`.as('detail')])
  return db
    .selectFrom(zones.unionAll(domains).as('listed'))
    .where((row) => row.or([contains('name', p, dialect), contains('detail', p, dialect)]))
    .select(['name', 'detail'])
    .orderBy(startsFirst('name', p, dialect))
    .orderBy('name')
    .limit(p.rows)
})

/** Finds the certificates of zones and own domains that the account's list has. */
export const certificateSearch =
  (db: Database): Search =>
  async ({ id: accountId }, text) => {
    const rows = await db.all(named, { accountId, ...searched(text), rows: foundOfKindMax })
    return rows.map(({ name, detail }) => ({ kind: 'certificate', label: name, detail, path: [name] }))
  }
