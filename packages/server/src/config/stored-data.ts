import { MasterKey } from '../shared/master-key.js'
import { addresses } from './addresses.js'
import { integer, text } from './parsers.js'
import { InvalidSetting, optional, setting } from './setting.js'

/** Bytes; 0 for no limit. */
const byteCount = integer({ min: 0, max: 999_999_999_999_999, unit: 'bytes' })

/** Files, artifacts or messages; 0 for no limit. */
const itemCount = integer({ min: 0, max: 999_999_999 })

/** Entries of a list that has no pages. */
const unpagedCount = integer({ min: 1, max: 10_000 })

/** A master key in hexadecimal digits. */
function masterKey(digits: string): MasterKey {
  const key = MasterKey.parse(digits)
  if (key === undefined)
    throw new InvalidSetting('must be 64 hexadecimal digits, such as the output of openssl rand -hex 32')
  return key
}

/** The settings of what accounts store. */
export const storedDataSettings = {
  deploymentsMax: setting(
    'SVC_DEPLOYMENTS_MAX',
    'The most forms, webhooks and short links of an account; 0 for no limit',
    { type: integer({ min: 0, max: 9_999_999 }), default: '10000' },
  ),
  vault: {
    key: optional(
      'SVC_MASTER_KEY',
      'The key of stored secrets, 64 hexadecimal digits; prefer the environment, because other users of the machine can see flags',
      { type: text('<key>', masterKey), default: '<data directory>/master.key', secret: true },
    ),
  },
  credentialsMax: setting('SVC_CREDENTIALS_MAX', 'The most stored credentials of an account', {
    type: unpagedCount,
    default: '1000',
  }),
  domainsMax: setting('SVC_DOMAINS_MAX', 'The most domains in the portfolio of an account', {
    type: unpagedCount,
    default: '10000',
  }),
  tlsCertificatesMax: setting(
    'SVC_TLS_CERTIFICATES_MAX',
    'The most certificates that svc orders for an account: of zones, and of own domains of sites',
    { type: integer({ min: 0, max: 1_000 }), default: '200' },
  ),
  certificateOrders: {
    accountOrders: setting(
      'SVC_ACME_ACCOUNT_ORDERS',
      'The most orders for new certificates of an account in 24 hours; renewals do not count',
      { type: integer({ min: 1, max: 1_000 }), default: '50' },
    ),
    domainOrders: setting(
      'SVC_ACME_DOMAIN_ORDERS',
      "The most new certificates of an account's registered domain in seven days; renewals do not count",
      { type: integer({ min: 1, max: 1_000 }), default: '20' },
    ),
  },
  diskReserveBytes: optional(
    'SVC_DISK_RESERVE_BYTES',
    'Free bytes of a disk below which nothing large is stored, so that deletes have room; 0 for no reserve',
    { type: byteCount, default: '268435456, or 5 % of a smaller disk' },
  ),
  files: {
    bytesMax: setting(
      'SVC_FILES_BYTES_MAX',
      'The most bytes of the files and open uploads of an account; 0 for no limit',
      { type: byteCount, default: '100000000000' },
    ),
    fileBytesMax: setting('SVC_FILE_BYTES_MAX', 'The most bytes of one file; 0 for no limit', {
      type: byteCount,
      default: '10000000000',
    }),
    uploadsMax: setting('SVC_UPLOADS_MAX', 'The most open uploads of an account; 0 for no limit', {
      type: integer({ min: 0, max: 9_999_999 }),
      default: '100',
    }),
    filesMax: setting(
      'SVC_FILES_MAX',
      'The most files of an account, each part of a large upload counted as one; 0 for no limit',
      { type: itemCount, default: '1000000' },
    ),
  },
  sites: {
    sitesMax: setting('SVC_SITES_MAX', 'The most sites of an account', { type: unpagedCount, default: '100' }),
    siteBytesMax: setting(
      'SVC_SITE_BYTES_MAX',
      'The most bytes of one site, unpacked, and of its archive; 0 for no limit',
      { type: byteCount, default: '1000000000' },
    ),
    siteFilesMax: setting('SVC_SITE_FILES_MAX', 'The most files of one site', {
      // A deploy holds a few hundred bytes of memory for each.
      type: integer({ min: 1, max: 100_000 }),
      default: '20000',
    }),
    bytesMax: setting(
      'SVC_SITES_BYTES_MAX',
      'The most stored bytes of the sites of an account, with kept versions and compressed forms; equal files count once; 0 for no limit',
      { type: byteCount, default: '10000000000' },
    ),
  },
  sitesAddresses: setting(
    'SVC_SITES_ADDRESSES',
    "Public IPv4 and IPv6 addresses of this server, separated by commas, for the DNS records of sites' own domains; without them, the records are CNAMEs, which a zone itself cannot have",
    { type: text('<addresses>', addresses), default: '' },
  ),
  sms: {
    retentionDays: setting('SVC_SMS_RETENTION_DAYS', 'Days to keep SMS messages; 0 for no limit', {
      type: integer({ min: 0, max: 36_500, unit: 'days' }),
      default: '365',
    }),
    messagesMax: setting(
      'SVC_SMS_MESSAGES_MAX',
      'Maximum number of SMS messages of an account; the oldest are removed; 0 for no limit',
      { type: itemCount, default: '100000' },
    ),
  },
  packages: {
    packagesMax: setting('SVC_PACKAGES_MAX', 'The most packages of an account', {
      type: unpagedCount,
      default: '1000',
    }),
    versionsMax: setting('SVC_PACKAGE_VERSIONS_MAX', 'The most versions of a package', {
      // They are sorted for each answer.
      type: integer({ min: 1, max: 2_000 }),
      default: '1000',
    }),
    artifactsMax: setting('SVC_ARTIFACTS_MAX', 'The most artifacts of all packages of an account; 0 for no limit', {
      type: itemCount,
      default: '100000',
    }),
    artifactBytesMax: setting('SVC_ARTIFACT_BYTES_MAX', 'The most bytes of one artifact of a package; 0 for no limit', {
      type: byteCount,
      default: '1000000000',
    }),
    bytesMax: setting('SVC_PACKAGES_BYTES_MAX', 'The most bytes of the packages of an account; 0 for no limit', {
      type: byteCount,
      default: '10000000000',
    }),
  },
}
