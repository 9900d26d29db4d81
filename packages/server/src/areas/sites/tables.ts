import { isDeepStrictEqual } from 'node:util'
import { badRequest } from '@svc/contract/errors'
import type { Generated } from 'kysely'
import { sql } from 'kysely'
import { noteChange } from '../../db/change-clock-store.js'
import { count, id, json, nullable, sha256Text, text, time } from '../../db/columns.js'
import { isIn } from '../../db/json-list.js'
import { isServed } from '../../db/served-accounts.js'
import { isVerified } from '../../db/verified-claims.js'
import {
  ofAccount,
  ofParent,
  type AreaTables,
  type RowOf,
  type RowRule,
  type WantedCertificate,
} from '../../db/table-declaration.js'
import { leftOutIfTaken, renamedIfTaken } from '../../db/unique-column.js'
import { entryNameProblem } from './archive/entry-name.js'
import { domainHost } from './domains/host.js'
import { isAllowedHeader } from './rules/headers.js'
import { printRules } from './rules/print-rules.js'
import { parseRules, type SiteRules } from './rules/rules.js'
import { reservedNames } from './sites/names.js'
import { removeSitesPart } from './versions/account-removal-store.js'
import { countStorage } from './versions/use-store.js'

declare module '../../db/tables.js' {
  interface Tables {
    site: SiteTable
    site_version: SiteVersionTable
    site_content: SiteContentTable
    site_file: SiteFileTable
    site_domain: SiteDomainTable
    site_use: SiteUseTable
    site_compaction: SiteCompactionTable
  }
}

/** A static site. */
interface SiteTable {
  id: Generated<number>
  account_id: number
  /** First label of its host; unique. */
  name: string
  /** The version that is served. */
  version_id: number
  /** Number of files of the version that is served. */
  files: number
  /** Of all files of the version that is served, in bytes. */
  size: number
  /** When its first version was deployed. */
  created_at: number
  /** When its last version was deployed. */
  deployed_at: number
  /** The number of its last deployed version. */
  last_version: Generated<number>
}

/** A version of a site, which never changes after its deployment. */
interface SiteVersionTable {
  id: Generated<number>
  account_id: number
  /** Null while the version is being deployed, and when it is no longer kept. */
  site_id: number | null
  files: number
  /** Of all files, in bytes. */
  size: number
  /** JSON of the parsed `_headers` and `_redirects`. */
  rules: string
  /** Null until it is deployed. */
  deployed_at: number | null
  created_at: number
  /** Counts the versions of the site from 1, and is never used again. Null until it is deployed. */
  number: number | null
}

/**
 * The bytes of files of an account. Each content is stored once for the account: as it is, and compressed for browsers. All forms are
 * in one object, which other contents may share.
 */
interface SiteContentTable {
  id: Generated<number>
  account_id: number
  /** Lower-case hexadecimal. */
  sha256: string
  /** In bytes. */
  size: number
  blob_key: string
  /** The position of its first byte in the object, from 0. */
  start: number
  /** The position of the gzip form (RFC 1952) in the object; null without one. */
  gzip_start: number | null
  gzip_size: number | null
  /** The position of the Brotli form (RFC 7932) in the object; null without one. */
  br_start: number | null
  br_size: number | null
  /** Null if a file refers to it, otherwise since when no file does: it is kept for a while, for deploys that count on it. */
  unused_at: number | null
}

/** A file of a version. */
interface SiteFileTable {
  version_id: number
  /** Without a leading slash, as in the archive: `css/site.css`. */
  path: string
  content_id: number
}

/** A host name that a site has besides its name below the sites domain. */
interface SiteDomainTable {
  /** Absolute, in lower case, without a trailing dot. */
  host: string
  site_id: number
  account_id: number
  /** The verified zone that the host is in. */
  zone: string
  /** JSON of the DNS records that were created with it, as `HostRecord`; empty until they are. */
  records: string
  created_at: number
}

/** What the sites of an account store. The row exists from the first deploy. */
interface SiteUseTable {
  account_id: number
  /** Of all contents and their compressed forms. */
  bytes: number
}

/** An object that has lost contents: its other contents move to a new object if they are less than half of it. */
interface SiteCompactionTable {
  blob_key: string
  account_id: number
  /** When it is looked at next. Without contents, it is removed then. */
  due_at: number
}

const site: RowRule<'site'> = {
  columns: {
    id,
    account_id: id,
    name: text(63),
    version_id: id,
    files: count,
    size: count,
    created_at: time,
    deployed_at: time,
    last_version: count,
  },
  request: ({ name }) => ({ operation: 'sites.deploy', body: { name, archive: '' } }),
}

const isArray = (value: unknown): value is unknown[] => Array.isArray(value)

const isPattern = (value: unknown): boolean => {
  const { parts, suffix = '' } = (value ?? {}) as { parts?: unknown; suffix?: unknown }
  const isPart = (part: unknown) =>
    typeof part === 'string' || typeof (part as { name?: unknown } | null)?.name === 'string'
  return isArray(parts) && parts.every(isPart) && typeof suffix === 'string'
}

/** The shape of `SiteRules`. What the rules say is checked by `check`. */
function isSiteRules(value: unknown): boolean {
  const { headers, redirects } = (value ?? {}) as { headers?: unknown; redirects?: unknown }
  if (!isArray(headers) || !isArray(redirects)) return false
  const areHeaders = headers.every((rule) => {
    const { path, changes } = (rule ?? {}) as { path?: unknown; changes?: unknown }
    return isPattern(path) && isArray(changes) && changes.every((change) => change !== null)
  })
  return areHeaders && redirects.every((rule) => isPattern((rule as { from?: unknown } | null)?.from))
}

/** A version from before the list of allowed headers has others, which are not sent. */
const withAllowedHeaders = ({ headers, redirects }: SiteRules): SiteRules => ({
  redirects,
  headers: headers.map(({ path, changes }) => ({ path, changes: changes.filter(({ name }) => isAllowedHeader(name)) })),
})

const site_version: RowRule<'site_version'> = {
  columns: {
    id,
    account_id: id,
    site_id: nullable(id),
    files: count,
    size: count,
    rules: json(4_000_000, isSiteRules),
    deployed_at: nullable(time),
    created_at: time,
    number: nullable(id),
  },
  check: ({ rules, site_id: siteId, number }) => {
    if (siteId !== null && number === null) throw badRequest('number', 'must be set for a version of a site')
    const stored = withAllowedHeaders(JSON.parse(rules) as SiteRules)
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(parseRules(printRules(stored)))), stored))
      throw badRequest('rules', 'must be those of _headers and _redirects')
  },
}

const site_content: RowRule<'site_content'> = {
  columns: {
    id,
    account_id: id,
    sha256: sha256Text,
    size: count,
    blob_key: text(64),
    start: count,
    gzip_start: nullable(count),
    gzip_size: nullable(count),
    br_start: nullable(count),
    br_size: nullable(count),
    unused_at: nullable(time),
  },
}

const site_file: RowRule<'site_file'> = {
  columns: { version_id: id, path: text(1024), content_id: id },
  check: ({ path }) => {
    const problem = entryNameProblem(path)
    if (problem !== undefined) throw badRequest('path', problem)
  },
}

interface StoredTarget {
  readonly type?: unknown
  readonly value?: unknown
  readonly id?: unknown
}

const isTarget = (value: unknown): boolean => {
  const { type, value: target, id: recordId } = (value ?? {}) as StoredTarget
  const isRecordId = recordId === undefined || id(recordId as number) === undefined
  return ['A', 'AAAA', 'CNAME'].includes(type as string) && typeof target === 'string' && isRecordId
}

const site_domain: RowRule<'site_domain'> = {
  columns: {
    host: text(253),
    site_id: id,
    account_id: id,
    zone: text(253),
    records: json(10_000, (value) => isArray(value) && value.every(isTarget)),
    created_at: time,
  },
  check: (row, { serverNames }) => {
    const { host, zone } = domainHost(row.host, serverNames)
    if (host !== row.host) throw badRequest('host', 'must be in canonical form')
    if (zone !== row.zone) throw badRequest('zone', `must be ${zone}, the zone of the host`)
  },
}

const site_use: RowRule<'site_use'> = { columns: { account_id: id, bytes: count } }

const siteIds = (accountId: number) => sql`(select id from site where account_id = ${accountId})`

/** The DNS records that were created with the domain. @param shift how much their ids have grown */
function withRecordIds({ records }: RowOf<'site_domain'>, shift: number): string {
  if (shift === 0) return records
  const stored = JSON.parse(records) as { id?: number }[]
  return JSON.stringify(
    stored.map((record) => (record.id === undefined ? record : { ...record, id: record.id + shift })),
  )
}

/** The own domains that are served. Served by the primary key of site. */
const wantedCertificates = () => sql<WantedCertificate>`
  select site_domain.account_id, site_domain.zone, site.name as site, site_domain.host
  from site_domain join site on site.id = site_domain.site_id
  where ${isVerified('site_domain')} and ${isServed('site_domain.account_id')}`

export const sitesTables = {
  tables: {
    site: {
      ...ofAccount,
      references: { account_id: 'account', version_id: 'site_version' },
      hasGeneratedId: true,
      rule: site,
      unique: {
        ...renamedIfTaken('site', 'name'),
        isReserved: (name, { sitesDomain, hosts }) => reservedNames(sitesDomain, hosts).has(name),
      },
    },
    site_version: {
      ownership: {
        by: 'condition',
        rows: (accountId, dialect) => sql`site_version.account_id = ${accountId}
          and (site_version.site_id is null or ${isIn('site_version.site_id', siteIds(accountId), dialect)})`,
      },
      references: { account_id: 'account', site_id: 'site' },
      hasGeneratedId: true,
      // The others are being deployed, or wait for their removal.
      exported: (accountId, dialect) => isIn('site_version.site_id', siteIds(accountId), dialect),
      rule: site_version,
    },
    site_content: {
      ...ofAccount,
      references: { account_id: 'account', blob_key: 'blob' },
      hasGeneratedId: true,
      exported: (accountId) => sql`site_content.account_id = ${accountId} and exists (
        select site_file.content_id from site_file join site_version on site_version.id = site_file.version_id
          where site_file.content_id = site_content.id and site_version.site_id is not null)`,
      rule: site_content,
    },
    site_file: {
      ...ofParent('version_id', 'site_version'),
      references: { version_id: 'site_version', content_id: 'site_content' },
      rule: site_file,
    },
    site_domain: {
      ...ofAccount,
      references: { account_id: 'account', site_id: 'site' },
      rule: site_domain,
      unique: leftOutIfTaken('host', 'text', ({ host }) => `The domain ${host} of a site`),
      imported: (row, { shiftOf }) => ({ records: withRecordIds(row, shiftOf(row.zone)) }),
    },
    site_use: { ...ofAccount, rule: site_use, counts: { table: 'site_content', query: countStorage } },
    site_compaction: {
      ...ofAccount,
      references: { account_id: 'account', blob_key: 'blob' },
      leftOut: 'work of the installation',
    },
  },
  removePart: removeSitesPart,
  wantedCertificates,
  afterImport: (tx) => noteChange(tx, 'sites'),
} satisfies AreaTables
