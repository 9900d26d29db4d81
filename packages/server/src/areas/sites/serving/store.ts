import { sql } from 'kysely'
import { textList } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { isServed } from '../../../db/served-accounts.js'
import { prepared } from '../../../db/prepared.js'

/** What sites serve to the public. System store: the host of a request names the site. */

/** The version of a site that is served. */
export interface LiveVersion {
  readonly versionId: number
  /** Milliseconds since the epoch. */
  readonly deployedAt: number
}

/** A form of a file, in an object that other contents share. */
export interface StoredForm {
  readonly key: string
  /** The position of its first byte in the object. */
  readonly start: number
  /** In bytes. */
  readonly size: number
}

/** A file of a version. */
export interface StoredFile {
  readonly path: string
  readonly contentId: number
  readonly sha256: string
  readonly forms: { readonly identity: StoredForm; readonly br?: StoredForm; readonly gzip?: StoredForm }
}

/** Served by the unique index on name. */
const byName = prepared((db, p: { name: string }) =>
  db
    .selectFrom('site')
    .where('site.name', '=', p.name)
    .where(isServed('site.account_id'))
    .select(['site.version_id as versionId', 'site.deployed_at as deployedAt']),
)

/**
 * Only while the zone is verified for the account of the domain. Served by the primary key of site_domain, dns_claim_of_account and the
 * primary key of site.
 */
const byDomain = prepared((db, p: { host: string }) =>
  db
    .selectFrom('site_domain')
    .innerJoin('dns_claim', (join) =>
      join
        .onRef('dns_claim.account_id', '=', 'site_domain.account_id')
        .onRef('dns_claim.zone', '=', 'site_domain.zone'),
    )
    .innerJoin('site', 'site.id', 'site_domain.site_id')
    .where('site_domain.host', '=', p.host)
    .where('dns_claim.status', '=', 'verified')
    .where(isServed('site.account_id'))
    .select(['site.version_id as versionId', 'site.deployed_at as deployedAt']),
)

/** Served by the primary key. */
const rulesOf = prepared((db, p: { versionId: number }) =>
  db.selectFrom('site_version').where('id', '=', p.versionId).select('rules'),
)

/**
 * A look-up for each path, served by the primary keys of site_file (version_id, path) and of site_content: PostgreSQL could run a
 * join through all files of the version.
 */
const filesByPath = prepared((db, p: { versionId: number; paths: string }, dialect) => {
  const paths = sql<{ value: string }>`${textList(p.paths, dialect)}`.as<'given'>(sql.ref('given'))
  const files = db
    .selectFrom(paths)
    .select((given) => [
      'value as path',
      given
        .selectFrom('site_file')
        .where('version_id', '=', p.versionId)
        .whereRef('site_file.path', '=', 'given.value')
        .select('content_id')
        .as('content_id'),
    ])
  return db
    .selectFrom(files.as('file'))
    .innerJoin('site_content', 'site_content.id', 'file.content_id')
    .select(['file.path', 'site_content.id as contentId', 'sha256', 'blob_key as key', 'start', 'size'])
    .select(['br_start', 'br_size', 'gzip_start', 'gzip_size'])
})

export type ServingStore = ReturnType<typeof servingStore>

export const servingStore = (db: Database) => ({
  /** @param name the first label of its host */
  findByName: (name: string): Promise<LiveVersion | undefined> => db.one(byName, { name }),

  findByDomain: (host: string): Promise<LiveVersion | undefined> => db.one(byDomain, { host }),

  /** JSON; undefined for a version that is gone. */
  rules: async (versionId: number): Promise<string | undefined> => (await db.one(rulesOf, { versionId }))?.rules,

  /** Those of the paths that have a file. */
  files: async (versionId: number, paths: readonly string[]): Promise<StoredFile[]> => {
    const rows = await db.all(filesByPath, { versionId, paths: JSON.stringify(paths) })
    return rows.map(({ path, contentId, sha256, key, start, size, ...encoded }) => ({
      path,
      contentId,
      sha256,
      forms: {
        identity: { key, start, size },
        ...form('br', key, encoded.br_start, encoded.br_size),
        ...form('gzip', key, encoded.gzip_start, encoded.gzip_size),
      },
    }))
  },
})

const form = (encoding: 'br' | 'gzip', key: string, start: number | null, size: number | null) =>
  start === null || size === null ? {} : { [encoding]: { key, start, size } }
