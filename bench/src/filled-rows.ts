import type { Dialect } from '../../packages/server/dist/db/dialect.js'

/** SQL that fills the tables of all areas, for both databases. Over the API it would take hours. */

/** How many rows an account gets. */
export interface Sizes {
  readonly zones: number
  /** Of the first zone; the second one has at most 1,000, each other one has five. */
  readonly records: number
  /** Every second one is shared. */
  readonly files: number
  readonly messages: number
  readonly domains: number
  readonly packages: number
  /** Of the first package; each other one has one version. */
  readonly versions: number
  readonly sites: number
  /** Forms, webhooks and short links in turn. */
  readonly deployments: number
  /** Submissions of the first form, and requests of the first webhook. */
  readonly kept: number
  /** Tokens, and as many sessions. */
  readonly secrets: number
  /** Credentials. They do not decrypt. */
  readonly credentials: number
}

/** Whose rows a statement inserts. */
interface Owner {
  /** SQL: the condition that selects the accounts from the table `account`. */
  readonly condition: string
  readonly sizes: Sizes
}

/** The expression of each column. `i` is the number of the row, from 1; `account` is the owner. */
type Values = Readonly<Record<string, string>>

const insert = (table: string, values: Values, count: number, join: string): string =>
  `with recursive n(i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${String(count)})
    insert into ${table} (${Object.keys(values).join()}) select ${Object.values(values).join()}
    from n ${join} where i <= ${String(count)} order by i;`

const named = (thing: string) => `'${thing}' || i || '-' || account.id`
const zone = `${named('zone')} || '.example'`
/** Differs between the rows of all accounts. */
const serial = '(1000000000000000000 + 10000000 * account.id + i)'
const sha256 = `'000000000000000000000000000000000000000000000' || ${serial}`
const first = (thing: string) => `'${thing}1-' || account.id`
const createdAt = '1795167000000 + i'
const times = { created_at: createdAt, updated_at: createdAt }

/** Accounts beside the measured one. */
export const accountRows = (count: number): string =>
  insert(
    'account',
    { email: `'other' || i || '@example.com'`, nickname: `''`, password_hash: `'x'`, created_at: '0' },
    count,
    '',
  )

/** Everything that accounts own. @param now milliseconds since the epoch */
export function ownedRows(dialect: Dialect, owner: Owner, now: number): string[] {
  const bytes = dialect === 'postgres' ? 'bytea' : 'blob'
  const time = String(now)
  const hash = (thing: string) => `cast(${named(thing)} as ${bytes})`
  const { sizes } = owner
  const of = (table: string, values: Values, count: number, join = '') =>
    insert(table, values, count, `join account on ${owner.condition} ${join}`)
  const owned = (table: string, values: Values, count: number, join?: string) =>
    of(table, { account_id: 'account.id', ...values }, count, join)
  return [
    ...secretRows(owned, hash, sizes, time),
    ...zoneRows(of, owned, sizes),
    ...fileRows(of, owned, sizes),
    ...messageRows(owned, hash, sizes, time),
    ...domainRows(owned, hash, sizes),
    ...packageRows(of, owned, sizes),
    ...siteRows(owned, sizes),
    ...deploymentRows(of, owned, sizes, bytes),
  ]
}

type Rows = (table: string, values: Values, count: number, join?: string) => string
type Hash = (thing: string) => string

function secretRows(owned: Rows, hash: Hash, { secrets, credentials }: Sizes, now: string): string[] {
  const token = {
    name: named('key'),
    prefix: `'svc_0a1b2c'`,
    scopes: `'dns:read dns:write files:read'`,
    created_at: now,
  }
  const session = { ip: `'192.0.2.1'`, user_agent: `'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'`, created_at: now }
  const credential = { platform: named('platform'), label: `'main'`, username: `'ada'`, ...times }
  const sealed = { master_key_id: 'master_key.key_id', sealed: hash('sealed') }
  return [
    owned('token', { ...token, hash: hash('token'), last_used_at: now }, secrets),
    owned('session', { ...session, hash: hash('session'), last_seen_at: now }, secrets),
    owned('credential', { ...credential, ...sealed }, credentials, 'join master_key on 1 = 1'),
  ]
}

function zoneRows(of: Rows, owned: Rows, { zones, records }: Sizes): string[] {
  const claim = { zone, status: `'verified'`, method: `'auto'`, created_at: createdAt }
  const last = `case i when 1 then ${String(records)} when 2 then ${String(Math.min(records, 1_000))} else 5 end`
  const served = { name: zone, serial: '1', version: '1', last_record_id: last, holder_id: 'account.id' }
  const time = `'2026-11-22T09:30:00.000Z'`
  const record = {
    zone_id: 'dns_zone.id',
    id: 'i',
    type: `'A'`,
    host: `'host' || i`,
    value: `'192.0.2.' || (i % 256)`,
    ttl: '300',
    created_at: time,
    updated_at: time,
  }
  const holder = 'join dns_zone on dns_zone.holder_id = account.id'
  return [
    owned('dns_claim', claim, zones),
    of('dns_zone', { ...served, content_bytes: `20 * (${last})` }, zones),
    owned('dns_record', record, records, `${holder} and i <= dns_zone.last_record_id`),
  ]
}

function fileRows(of: Rows, owned: Rows, { files }: Sizes): string[] {
  const file = {
    name: `'Annual report ' || i || '.pdf'`,
    media_type: `'application/pdf'`,
    size: '100000 + i',
    sha256,
    share_key: `case when i % 2 = 0 then 'key' || ${serial} end`,
    edge_ttl: '3600',
    serving: '1',
    edge_version: '1',
    ...times,
  }
  const use = { files: String(files), shared: String(files >> 1), bytes: '0', uploads: '0', objects: String(files) }
  const traffic = { file_id: 'file.id', requests: '9', hits: '7', misses: '2', bytes_served: '900000' }
  return [
    owned('file', file, files),
    owned('storage_use', use, 1),
    of('file_traffic', traffic, 1, 'join file on file.account_id = account.id and file.share_key is not null'),
  ]
}

function messageRows(owned: Rows, hash: Hash, { messages }: Sizes, now: string): string[] {
  const key = { slot: 'i', label: named('phone'), prefix: `'sms_0a1b2c'`, hash: hash('sms'), created_at: now }
  const message = {
    id: 'i',
    key_id: '1',
    stored_at: now,
    received_at: now,
    deduplication_key: hash('sms'),
    size: '60',
    sender: `'+15550100'`,
    receiver: `'+15550101'`,
    sim: `'SIM1'`,
    device: `'phone'`,
    body: `'Your code is ' || i || '. Do not share it.'`,
  }
  return [
    owned('sms_key', { ...key, last_used_at: now }, 5),
    owned('sms_inbox', { last_id: String(messages), removed_id: '0' }, 1),
    owned('sms_message', message, messages),
  ]
}

const registration = JSON.stringify({
  registrar: 'Example Registrar, Inc.',
  registered_at: '1995-08-14T04:00:00.000Z',
  expires_at: '2027-08-13T04:00:00.000Z',
  nameservers: ['a.iana-servers.net', 'b.iana-servers.net'],
  statuses: ['client transfer prohibited'],
  synced_at: '2026-11-20T09:30:00.000Z',
})

/** Due at the end of time, so that no registry is asked. */
function domainRows(owned: Rows, hash: Hash, { domains }: Sizes): string[] {
  const domain = {
    name: `${named('domain')} || '.example'`,
    tld: `'example'`,
    note: `''`,
    registrar: `'Example Registrar, Inc.'`,
    expires_at: '1795167000000 + (i * 7919 % 10000) * 86400000',
    synced_at: createdAt,
    registration: `'${registration}'`,
    due_at: '9007199254740991',
    failures: '0',
    revision: '0',
    changed_at: '0',
  }
  return [
    owned('domain', domain, domains),
    owned('domain_calendar', { hash: hash('calendar'), created_at: createdAt }, 1),
  ]
}

function packageRows(of: Rows, owned: Rows, { packages, versions }: Sizes): string[] {
  const count = `case i when 1 then ${String(versions)} else 1 end`
  const found = {
    slug: named('package'),
    name: named('Package '),
    description: `'What the package is for, in a sentence.'`,
    versions: count,
    versions_ever: count,
    artifacts: `2 * (${count})`,
    downloads: '70',
    ...times,
  }
  const version = { package_id: 'package.id', version: `'1.' || i || '.0'`, precedence: `'1.' || i || '.0'` }
  const published = { artifacts: '2', downloads: '7', published_at: createdAt }
  const ofPackage = 'join package on package.account_id = account.id and i <= package.versions'
  const ofVersion = `join package on package.account_id = account.id
    join package_version on package_version.package_id = package.id`
  const blob = { key: `'bench/' || package_version.id || '/' || i`, size: '100000' }
  const artifact = { version_id: 'package_version.id', name: `'tool-' || i || '.tar.gz'`, size: blob.size, sha256 }
  const sum = packages + versions - 1
  const use = { packages: String(packages), slugs: String(packages), artifacts: String(2 * sum), bytes: '0' }
  return [
    owned('package', found, packages),
    owned('package_use', use, 1),
    of('package_version', { ...version, ...published }, versions, ofPackage),
    of('blob', blob, 2, ofVersion),
    of('package_artifact', { ...artifact, blob_key: blob.key, downloads: '3' }, 2, ofVersion),
  ]
}

function siteRows(owned: Rows, { sites }: Sizes): string[] {
  const site = { name: named('site'), version_id: '1', files: '20', size: '100000', deployed_at: createdAt }
  const { name: _, version_id: _id, ...version } = site
  const domain = { host: `'www.' || ${zone}`, zone, records: `'[{"type":"CNAME","value":"site.localhost","id":1}]'` }
  return [
    owned('site', { ...site, created_at: createdAt }, sites),
    owned(
      'site_version',
      { ...version, site_id: 'site.id', rules: `'{}'`, created_at: createdAt },
      10,
      `join site on site.account_id = account.id and (i = 1 or site.name = ${first('site')})`,
    ),
    owned(
      'site_domain',
      { ...domain, site_id: 'site.id', created_at: createdAt },
      Math.min(sites, 100),
      `join site on site.name = ${first('site')}`,
    ),
  ]
}

function deploymentRows(of: Rows, owned: Rows, { deployments, kept }: Sizes, bytes: string): string[] {
  const byKind = (form: string, webhook: string, link: string) =>
    `case i % 3 when 1 then ${form} when 2 then ${webhook} else ${link} end`
  const deployment = {
    kind: byKind(`'form'`, `'webhook'`, `'shortlink'`),
    slug: named('slug'),
    enabled: '1',
    uses: '9',
    ...times,
    target: byKind('null', `'https://example.com/'`, `'https://example.com/' || i`),
    secret: byKind('null', `'secret'`, 'null'),
    settings: byKind(`'{"next_urls":[],"origins":[]}'`, `'{}'`, `'{"status":302,"forward_query":false}'`),
    kept: `case when i <= 2 then ${String(kept)} else 0 end`,
  }
  const entry = { deployment_id: 'deployment.id', id: 'i', received_at: createdAt }
  const submission = {
    network: `'192.0.2.0/24'`,
    user_agent: `'Mozilla/5.0'`,
    subject: `'A question'`,
    size: '60',
    fields: `'{"name":"Ada Lovelace","email":"ada@example.com","message":"Hello"}'`,
  }
  const request = {
    method: `'POST'`,
    path: `''`,
    query: `'event=push'`,
    ip: `'192.0.2.1'`,
    content_type: `'application/json'`,
    size: '15',
    truncated: '0',
    headers: `'["host","localhost","user-agent","curl/8.5.0"]'`,
    body: `cast('{"event":"push"}' as ${bytes})`,
  }
  const delivery = {
    host: `'example.com'`,
    state: `'delivered'`,
    attempts: '1',
    last_status: '204',
    updated_at: createdAt,
  }
  const ofSlug = (n: number) => `join deployment on deployment.slug = 'slug${String(n)}-' || account.id`
  return [
    owned('deployment', deployment, deployments),
    of('form_submission', { ...entry, ...submission }, kept, ofSlug(1)),
    of('webhook_request', { ...entry, ...request }, kept, ofSlug(2)),
    owned('webhook_delivery', { deployment_id: 'deployment.id', request_id: 'i', ...delivery }, kept, ofSlug(2)),
  ]
}

/** Answers of registries for example1.com to example10000.com. @param now milliseconds since the epoch */
export function registrationRows(now: number): string {
  const answer = {
    registrar: 'Example Registrar, Inc.',
    dnssec: true,
    source: 'rdap',
    raw: null,
    createdAt: 808372800000,
    updatedAt: now,
    expiresAt: now + 86_400_000_000,
    nameservers: ['a.iana-servers.net', 'b.iana-servers.net'],
    statuses: ['client delete prohibited', 'client transfer prohibited', 'client update prohibited'],
  }
  const data = `'{"domain":"example' || i || '.com",${JSON.stringify(answer).slice(1)}'`
  const until = String(now + 86_400_000)
  const times = { fetched_at: String(now), fresh_until: until, claimed_until: '0', remove_after: until }
  return insert('registration', { domain: `'example' || i || '.com'`, data, ...times }, 10_000, '')
}

/** A browser session of the account with an email. @param hash SHA-256 of the cookie, in hexadecimal */
export function sessionRow(dialect: Dialect, email: string, hash: string, now: number): string {
  const bytes = dialect === 'postgres' ? `decode('${hash}', 'hex')` : `x'${hash}'`
  const session = { account_id: 'account.id', hash: bytes, ip: `'127.0.0.1'`, user_agent: `'bench'` }
  const time = String(now)
  return insert(
    'session',
    { ...session, created_at: time, last_seen_at: time },
    1,
    `join account on email = '${email}'`,
  )
}
