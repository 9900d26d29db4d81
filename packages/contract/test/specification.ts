/** The tables of section 4 of the specification as data: the details that it shows, and those that it leaves open. */

/**
 * The details that the specification shows of a key. `named`: only the name; type and format are this implementation's
 * choice. Otherwise the type; a question mark means optional.
 */
export type Shown = 'named' | 'string' | 'string?' | 'integer' | 'integer?' | 'boolean'

export type Keys = Readonly<Record<string, Shown>>

export interface Row {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** The scope column, word for word. */
  readonly scope: string
  readonly query?: Keys
  readonly body?: Keys
  readonly data?: Keys
}

/** The areas of section 5.5 whose scopes are a read and a write one, in its order. */
const areas = ['dns', 'account', 'cred', 'files', 'cdn', 'sms', 'sites', 'deploy', 'domain', 'packages']

/** Section 5.5, in its order and without `*`. */
export const scopeNames = [...areas.flatMap((area) => [`${area}:read`, `${area}:write`]), 'whois:read']

/** The parameters in paths. A zone is its name; the form of ids and slugs is not shown. */
export const pathKeys: Keys = { zone: 'string', id: 'named', slug: 'named' }

const named = (...names: string[]): Keys => Object.fromEntries(names.map((name) => [name, 'named']))
const get = (path: string, scope: string, keys: Pick<Row, 'query' | 'data'> = {}): Row => ({
  method: 'GET',
  path,
  scope,
  ...keys,
})
const post = (path: string, scope: string, keys: Pick<Row, 'body' | 'data'> = {}): Row => ({
  method: 'POST',
  path,
  scope,
  ...keys,
})
const remove = (path: string, scope: string, data?: Keys): Row => ({
  method: 'DELETE',
  path,
  scope,
  ...(data && { data }),
})

/** Section 4.1. Only `format=json` of GET /v1/ai and GET /v1 is shown. */
const catalogue: readonly Row[] = [
  get('/v1', 'public', { query: { format: 'string?' } }),
  get('/v1/ai', 'public', { query: { format: 'string?' } }),
  get('/v1/openapi.json', 'public'),
  get('/llms.txt', 'public'),
]

/** Section 4.2. Types and formats of the response values are not shown. */
const publicUtilities: readonly Row[] = [
  get('/v1/public/time', 'public', {
    data: named('iso8601', 'rfc2822', 'unix', 'unix_ms', 'timezone', 'date', 'time'),
  }),
  get('/v1/public/timestamp', 'public', { data: named('unix', 'unix_ms') }),
  get('/v1/public/ip', 'public', { data: named('ip', 'version') }),
  get('/v1/public/geo', 'public', { data: named('country', 'known') }),
  get('/v1/public/fx', 'public', {
    query: { base: 'string?', symbols: 'string?' },
    data: named('base', 'rates', 'fetched_at', 'cached'),
  }),
  get('/v1/public/hash', 'public', {
    query: { value: 'string', algo: 'string?' },
    data: named('algo', 'hex', 'base64', 'length'),
  }),
]

/** Section 4.3. */
const account: readonly Row[] = [
  get('/v1/account/me', 'any token', { data: named('user', 'token_scopes', 'usable_endpoints') }),
  get('/v1/account/sessions', 'account:read', { data: named('sessions', 'total') }),
  post('/v1/account/sessions/revoke', 'account:write', { body: { id: 'integer' }, data: named('revoked') }),
  post('/v1/account/sessions/revoke-all', 'account:write', { data: named('revoked') }),
  post('/v1/account/profile', 'account:write', { body: { field: 'string', value: 'string' }, data: named('value') }),
]

const zones = '/v1/dns/zones'
const zone = '/v1/dns/zones/{zone}'
const records = '/v1/dns/zones/{zone}/records'
const record = '/v1/dns/zones/{zone}/records/{id}'
const claim: Keys = { zone: 'string', status: 'string', verification: 'named' }

/** Section 4.4, with the types of sections 2.2 and 2.3. The `data` of single records is not shown. */
const dns: readonly Row[] = [
  get(zones, 'dns:read', { query: { status: 'string?' }, data: named('zones') }),
  post(zones, 'dns:write', { body: { zone: 'string' }, data: claim }),
  get(zone, 'dns:read', { data: claim }),
  post(`${zone}/verify`, 'dns:write', {
    data: { zone: 'string', status: 'string', matched: 'named', verified: 'boolean' },
  }),
  remove(zone, 'dns:write', { zone: 'string', released: 'named' }),
  get(records, 'dns:read', { query: { type: 'string?' }, data: { zone: 'string', records: 'named' } }),
  post(records, 'dns:write', {
    body: { type: 'string', host: 'string?', value: 'string', ttl: 'integer?', priority: 'integer?' },
  }),
  get(record, 'dns:read'),
  {
    method: 'PATCH',
    path: record,
    scope: 'dns:write',
    body: { host: 'string?', value: 'string?', ttl: 'integer?', priority: 'integer?' },
  },
  remove(record, 'dns:write'),
]

/** Section 4.5. Query parameters, body fields and response keys are not shown. */
const otherGroups: readonly Row[] = [
  get('/v1/cred', 'cred:read | cred:write'),
  post('/v1/cred', 'cred:write'),
  get('/v1/files', 'files:read | files:write'),
  get('/v1/files/{id}', 'files:read | files:write'),
  get('/v1/files/download', 'files:read | files:write'),
  post('/v1/files/upload', 'files:write'),
  post('/v1/files/update', 'files:write'),
  post('/v1/files/rename', 'files:write'),
  post('/v1/files/delete', 'files:write'),
  post('/v1/files/upload-chunk', 'files:write'),
  post('/v1/files/upload-finalize', 'files:write'),
  get('/v1/cdn/stats', 'cdn:read'),
  post('/v1/cdn/config', 'cdn:write'),
  post('/v1/cdn/purge', 'cdn:write'),
  get('/v1/sms/messages', 'sms:read'),
  get('/v1/sms/keys', 'sms:read | sms:write'),
  post('/v1/sms/keys', 'sms:write'),
  remove('/v1/sms/keys', 'sms:write'),
  get('/v1/sites', 'sites:read | sites:write'),
  post('/v1/sites/deploy', 'sites:write'),
  post('/v1/sites/delete', 'sites:write'),
  get('/v1/deployments', 'deploy:read | deploy:write'),
  post('/v1/deployments/toggle', 'deploy:write'),
  post('/v1/deployments/delete', 'deploy:write'),
  get('/v1/domains', 'domain:read | domain:write'),
  post('/v1/domains/whois-sync', 'domain:write'),
  get('/v1/packages', 'packages:read | packages:write'),
  get('/v1/packages/{slug}', 'packages:read | packages:write'),
  post('/v1/packages/publish', 'packages:write'),
  post('/v1/packages/update', 'packages:write'),
  post('/v1/packages/delete', 'packages:write'),
  get('/v1/whois', 'whois:read'),
]

export const rows: readonly Row[] = [...catalogue, ...publicUtilities, ...account, ...dns, ...otherGroups]

const deployment = '/v1/deployments/{id}'

/**
 * Section 9.2 allows additions: operations of svc that section 4 does not have, with their scopes in the words of section 4. Each is
 * marked in the contract; its fields are those of svc.
 */
export const additions: readonly Row[] = [
  get('/v1/account/events', 'account:read'),
  get('/v1/account/notices', 'account:read'),
  post('/v1/account/notices', 'account:write'),
  get('/v1/account/webhooks', 'account:read'),
  post('/v1/account/webhooks', 'account:write'),
  post('/v1/account/webhooks/update', 'account:write'),
  post('/v1/account/webhooks/delete', 'account:write'),
  post('/v1/account/webhooks/test', 'account:write'),
  get('/v1/account/webhooks/deliveries', 'account:read'),
  { method: 'PUT', path: '/v1/dns/zones/{zone}/rrsets/{host}/{type}', scope: 'dns:write' },
  post(`${records}/batch`, 'dns:write'),
  get(`${zone}/zone-file`, 'dns:read'),
  post(`${zone}/zone-file/preview`, 'dns:read'),
  post(`${zone}/zone-file/import`, 'dns:write'),
  get(`${zone}/history`, 'dns:read'),
  get(`${zone}/history/{serial}`, 'dns:read'),
  post(`${zone}/history/revert`, 'dns:write'),
  get(`${zone}/queries`, 'dns:read'),
  get('/v1/dns/secondaries', 'dns:read'),
  post('/v1/dns/secondaries', 'dns:write'),
  remove('/v1/dns/secondaries/{id}', 'dns:write'),
  post('/v1/cred/update', 'cred:write'),
  post('/v1/cred/delete', 'cred:write'),
  get('/v1/files/usage', 'files:read | files:write'),
  get('/v1/files/traffic', 'files:read | files:write'),
  get('/v1/files/uploads', 'files:read | files:write'),
  post('/v1/files/uploads/discard', 'files:write'),
  post('/v1/sms/keys/signing-key', 'sms:write'),
  get('/v1/sites/versions', 'sites:read | sites:write'),
  post('/v1/sites/restore', 'sites:write'),
  get('/v1/sites/domains', 'sites:read | sites:write'),
  post('/v1/sites/domains/add', 'sites:write'),
  post('/v1/sites/domains/remove', 'sites:write'),
  post('/v1/deployments/create', 'deploy:write'),
  post('/v1/deployments/update', 'deploy:write'),
  get(deployment, 'deploy:read | deploy:write'),
  get(`${deployment}/uses`, 'deploy:read | deploy:write'),
  get(`${deployment}/uses/hours`, 'deploy:read | deploy:write'),
  get(`${deployment}/submissions`, 'deploy:read | deploy:write'),
  get(`${deployment}/submissions/export`, 'deploy:read | deploy:write'),
  post('/v1/deployments/submissions/delete', 'deploy:write'),
  get(`${deployment}/requests`, 'deploy:read | deploy:write'),
  get(`${deployment}/requests/{request_id}`, 'deploy:read | deploy:write'),
  post('/v1/deployments/requests/redeliver', 'deploy:write'),
  post('/v1/deployments/rotate-secret', 'deploy:write'),
  post('/v1/domains/add', 'domain:write'),
  post('/v1/domains/remove', 'domain:write'),
  post('/v1/domains/annotate', 'domain:write'),
  get('/v1/domains/calendar', 'domain:read | domain:write'),
  post('/v1/domains/calendar/create', 'domain:write'),
  post('/v1/domains/calendar/delete', 'domain:write'),
  get('/v1/tls/certificates', 'dns:read'),
  post('/v1/tls/certificates', 'dns:write'),
  post('/v1/tls/certificates/renew', 'dns:write'),
  post('/v1/tls/certificates/delete', 'dns:write'),
  post('/v1/tls/certificates/key', 'dns:write'),
  get(
    '/v1/events',
    'dns:read | account:read | cred:read | files:read | cdn:read | sms:read | sites:read | deploy:read | domain:read | packages:read',
  ),
]
