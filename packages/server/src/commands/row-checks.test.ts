import { describe, expect, it } from 'vitest'
import type { RowValues } from './account-transfer/row-values.js'
import { tables } from '../app/tables.js'
import { nameOfRow, RowChecks } from './row-checks.js'

const checks = new RowChecks({
  zoneOf: (id) => (id === 1 ? 'example.com' : undefined),
  serverNames: { sitesDomain: 'sites.example.net', hosts: [] },
})

const hash = Buffer.alloc(32)
const times = { created_at: 1, updated_at: 1 }
const deployed = { created_at: 1, deployed_at: 1 }
const limits = { expires_at: 1, unused_days: 90, networks: '["192.0.2.0/24"]', paused: 1 }
const sha256 = 'a'.repeat(64)
const [blob_key, secret] = [`${'a'.repeat(32)}-1`, `whsec_${'a'.repeat(43)}=`]
const registration = JSON.stringify({
  registrar: null,
  registered_at: null,
  expires_at: '2027-08-13T04:00:00.000Z',
  nameservers: [],
  statuses: [],
  synced_at: null,
})
const rules = JSON.stringify({
  headers: [
    {
      path: { parts: ['/a b*:%/', { name: 'id' }, '/'], suffix: '' },
      changes: [{ name: 'link', value: 'x' }, { name: 'nel' }],
    },
  ],
  redirects: [{ from: { parts: ['/x'] }, to: '/y', status: 301, isForced: true }],
})

const ofRequest = { deployment_id: 1, request_id: 1 }
const attempt = { slot: 15, started_at: 1, duration_ms: 184, status: 503, error: null, answer: 'Down' }

/** A valid row of each table with rules. */
const valid: Readonly<Record<string, RowValues>> = {
  account: {
    id: 1,
    password_hash: '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA',
    ...{ email: 'a@example.com', nickname: '', created_at: 1, state: 'active', limits: '{}', plan: null },
  },
  token: {
    id: 1,
    account_id: 1,
    name: 'ci',
    ...{ prefix: 'svc_5f2a9c', hash, scopes: 'dns:read *', created_at: 1, last_used_at: null, last_used_network: null },
    ...limits,
    ...{ former_hash: hash, former_until: 1, rules: '[{"kind":"site","name":"docs","access":"read"}]' },
  },
  dns_claim: {
    id: 1,
    account_id: 1,
    zone: 'example.com',
    status: 'verified',
    method: 'auto',
    txt_value: null,
    created_at: 1,
  },
  dns_zone: {
    id: 1,
    name: 'example.com',
    serial: 1,
    version: 0,
    last_record_id: 0,
    holder_id: null,
    content_bytes: 0,
    deleted_at: null,
    history_end: 0,
  },
  dns_record: {
    zone_id: 1,
    id: 1,
    account_id: 1,
    type: 'MX',
    host: '@',
    value: 'mail.example.net',
    ttl: 60,
    priority: 10,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  },
  blob: { key: blob_key, size: 1 },
  file: {
    id: 1,
    account_id: 1,
    name: 'a',
    media_type: 'a/b',
    size: 0,
    sha256,
    share_key: null,
    edge_ttl: 0,
    serving: 1,
    edge_version: 0,
    ...times,
  },
  site: { id: 1, account_id: 1, name: 'docs', version_id: 1, files: 1, size: 1, last_version: 1, ...deployed },
  site_version: { id: 1, account_id: 1, site_id: 1, files: 1, size: 1, rules, number: 1, ...deployed },
  site_file: { version_id: 1, path: 'index.html', content_id: 1 },
  site_domain: {
    host: 'www.example.com',
    site_id: 1,
    account_id: 1,
    zone: 'example.com',
    records: '[{"type":"A","value":"192.0.2.1","id":1}]',
    created_at: 1,
  },
  package_version: {
    id: 1,
    package_id: 1,
    version: '1.0.0+a',
    precedence: '1.0.0',
    artifacts: 1,
    downloads: 0,
    published_at: 1,
    deleted_at: null,
  },
  deployment: {
    id: 1,
    account_id: 1,
    kind: 'shortlink',
    slug: 'a',
    target: 'https://example.com/',
    enabled: 1,
    uses: 0,
    kept: 0,
    settings: '{"status":302,"forward_query":false}',
    secret: null,
    expires_at: 1_000,
    max_uses: 1,
    paused_until: null,
    ...times,
  },
  form_submission: {
    deployment_id: 1,
    id: 1,
    received_at: 1,
    network: '',
    user_agent: '',
    subject: null,
    size: 17,
    fields: '{"a":["b","c"]}',
  },
  webhook_request: {
    deployment_id: 1,
    id: 1,
    received_at: 1,
    method: 'POST',
    path: '',
    query: '',
    ip: '',
    content_type: null,
    size: 0,
    truncated: 0,
    headers: '["a","b"]',
    body: Buffer.alloc(0),
  },
  webhook_delivery: {
    ...ofRequest,
    account_id: 1,
    host: 'example.com',
    state: 'failed',
    due_at: null,
    attempts: 1,
    last_status: null,
    last_error: null,
    recorded: 1,
    failing_since: 1,
    updated_at: 1,
  },
  webhook_attempt: { ...ofRequest, ...attempt },
  credential: {
    id: 1,
    account_id: 1,
    platform: 'a',
    label: '',
    username: null,
    master_key_id: 'a'.repeat(16),
    sealed: hash,
    ...times,
  },
  sms_key: {
    id: 1,
    account_id: 1,
    slot: 1,
    label: 'a',
    prefix: 'a',
    hash,
    created_at: 1,
    last_used_at: null,
    master_key_id: null,
    sealed: null,
  },
  sms_message: {
    account_id: 1,
    id: 1,
    key_id: 1,
    stored_at: 1,
    received_at: 1,
    deduplication_key: Buffer.alloc(16),
    size: 1,
    sender: 'a',
    receiver: null,
    sim: null,
    device: null,
    body: 'a',
  },
  domain: {
    id: 1,
    account_id: 1,
    name: 'example.com',
    tld: 'com',
    note: '',
    registrar: null,
    expires_at: null,
    synced_at: null,
    registration,
    due_at: 1,
    failures: 0,
    revision: 0,
    changed_at: 1,
  },
}

const form = { kind: 'form', target: null, expires_at: null, max_uses: null, settings: '{"next_urls":[],"origins":[]}' }
const webhook = { kind: 'webhook', secret, settings: '{}', expires_at: null, max_uses: null }

describe('rows that requests store', () => {
  it.each(Object.entries({ ...valid, '': {} }))('checks a row of %s as requests store it', (table, row) => {
    expect(checks.problemOf(table, row)).toBe(
      table === 'form_submission' ? 'size must be 15, the bytes of the fields.' : undefined,
    )
  })
  it.each([form, webhook, { ...webhook, target: null }])('a deployment of the kind $kind has no problem', (changes) => {
    expect(checks.problemOf('deployment', { ...valid['deployment'], ...changes })).toBeUndefined()
  })
})

it('a note of emoji has as many characters as a request may send', () => {
  expect(checks.problemOf('domain', { ...valid['domain'], note: '🏠'.repeat(200) })).toBeUndefined()
  expect(checks.problemOf('domain', { ...valid['domain'], note: '🏠'.repeat(201) })).toContain('note must have at most')
})

it.each<[string, RowValues, string]>([
  ['account', { email: 'A@example.com' }, 'email must be in lower case'],
  ['account', { nickname: ' a' }, 'nickname has spaces'],
  ['account', { password_hash: 'x' }, 'password_hash must be a hash'],
  [
    'account',
    { password_hash: '$argon2id$v=19$m=7,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA' },
    'password_hash must be',
  ],
  ['account', { created_at: -1 }, 'created_at must be an integer from 0'],
  ['account', { created_at: 'x' }, 'created_at must be an integer'],
  ['token', { hash: Buffer.alloc(31) }, 'hash must have 32 bytes'],
  ['token', { scopes: 'root' }, 'scopes[0] must be one of'],
  ['token', { name: 'a\u202eb' }, 'name must not contain'],
  ['token', { name: 'a\0' }, 'name must not contain NUL'],
  ['token', { rules: '[]' }, 'rules has another form than values that svc stores'],
  ['dns_claim', { zone: 'Example.com' }, 'zone must be in lower case'],
  ['dns_claim', { status: 'x' }, 'status must be one of'],
  ['dns_record', { zone_id: 2 }, 'zone_id must be the id of a zone'],
  ['dns_record', { value: 'mail.example.net.' }, 'value and the other fields'],
  ['blob', { key: 'x' }, 'key must be the key'],
  ['file', { name: 'a/b' }, 'name must not contain slashes'],
  ['site', { name: 'a.b' }, 'name'],
  ['site_version', { number: null }, 'number must be set'],
  ['site_version', { rules: '{}' }, 'rules has another form'],
  ['site_version', { rules: 'x' }, 'rules is not JSON'],
  ['site_version', { rules: '{"headers":[null],"redirects":[]}' }, 'rules has another form'],
  ['site_version', { rules: rules.replace('"x"', '"x\\ny"') }, 'archive: _headers'],
  ['site_version', { rules: rules.replace('"/y"', '"/y ?"') }, 'archive: _redirects'],
  ['site_version', { rules: rules.replace('["/x"]', '["/x/","y"]') }, 'rules must be those'],
  ['site_file', { path: '../a' }, 'path has . or ..'],
  ['site_domain', { host: 'WWW.example.com' }, 'host must be in canonical form'],
  ['site_domain', { zone: 'example.org' }, 'zone must be example.com'],
  ['site_domain', { records: '[{"type":"MX"}]' }, 'records has another form'],
  ['package_version', { precedence: '1.0.1' }, 'precedence must be 1.0.0'],
  ['deployment', { ...form, target: 'https://example.com/' }, 'target is not for forms'],
  ['deployment', { settings: '{"status":302}' }, 'settings and the target'],
  ['deployment', { slug: 'a.b' }, 'slug'],
  ['form_submission', { fields: '{"a":1}', size: 7 }, 'fields must be texts'],
  ['webhook_request', { size: 1 }, 'size must be 0'],
  ['webhook_delivery', { due_at: 1 }, 'due_at must be set while'],
  ['webhook_attempt', { slot: 16 }, 'slot must be an integer from 0 to 15'],
  ['webhook_attempt', { answer: 'x'.repeat(1025) }, 'answer must have at most 1024 characters'],
  ['webhook_attempt', { answer: 'a\0b' }, 'answer must not contain NUL'],
  ['credential', { label: 'a\u202eb' }, 'label must not contain'],
  ['sms_key', { sealed: hash }, 'sealed must have the key'],
  ['sms_message', { sender: ' a' }, 'sender has spaces'],
  ['domain', { name: 'Example.com' }, 'name must be in canonical form'],
  ['domain', { registration: registration.replace('2027', '12027') }, 'registration has another form'],
  ['domain', { registration: ` ${registration}` }, 'registration has another form'],
])('a row of %s with %o is a problem: %s', (table, changes, problem) => {
  expect(checks.problemOf(table, { ...valid[table], ...changes })).toContain(problem)
})

it('an imported domain is refreshed from its registry, and other rows stay as they are', () => {
  const stored = { ...valid['domain'], registrar: 'x', tld: 'x' }
  const domain = tables.domain.imported?.(stored, { now: 7, shiftOf: () => 0 })
  expect(domain).toMatchObject({ registrar: null, tld: 'com', due_at: 7 })
  expect(tables.credential.imported).toBeUndefined()
})

it('names a row by its key', () => {
  expect(nameOfRow('token', { id: 7 })).toBe('token 7')
  expect(nameOfRow('dns_record', { zone_id: 1, id: 2, host: 'www' })).toBe('dns_record zone_id 1 id 2 host www')
})
