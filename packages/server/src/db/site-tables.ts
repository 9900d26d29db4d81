import type { Generated } from 'kysely'

/** The tables of sites (see `Tables`). */
export interface SiteTables {
  site: SiteTable
  site_version: SiteVersionTable
  site_content: SiteContentTable
  site_file: SiteFileTable
  site_domain: SiteDomainTable
  site_use: SiteUseTable
  site_compaction: SiteCompactionTable
}

/** A static site. */
export interface SiteTable {
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
}

/** A version of a site, which never changes after its deployment. */
export interface SiteVersionTable {
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
}

/**
 * The bytes of files of an account. Each content is stored once for the account: as it is, and compressed for browsers. All forms are
 * in one object, which other contents may share.
 */
export interface SiteContentTable {
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
export interface SiteFileTable {
  version_id: number
  /** Without a leading slash, as in the archive: `css/site.css`. */
  path: string
  content_id: number
}

/** A host name that a site has besides its name below the sites domain. */
export interface SiteDomainTable {
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
export interface SiteUseTable {
  account_id: number
  /** Of all contents and their compressed forms. */
  bytes: number
}

/** An object that has lost contents: its other contents move to a new object if they are less than half of it. */
export interface SiteCompactionTable {
  blob_key: string
  account_id: number
  /** When it is looked at next. Without contents, it is removed then. */
  due_at: number
}
