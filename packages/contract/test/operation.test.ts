import { describe, expect, it } from 'vitest'
import { Type } from 'typebox'
import {
  areaOf,
  commandOf,
  errorsOf,
  nameOf,
  open,
  openKey,
  operation,
  placeholders,
  requiredScopes,
  toolNameOf,
  type Access,
  type Operation,
} from '../src/operation.js'

const declare = (id: string, access: Access = 'public', errors: Operation['errors'] = []): Operation =>
  operation({ id, access, errors, method: 'GET', path: '/v1/x', summary: 'Do it', example: {} })

describe('names', () => {
  it.each([
    ['dns.recordCreate', 'dns', 'recordCreate', 'record-create', 'dns_record_create'],
    ['files.delete', 'files', 'delete', 'delete', 'files_delete'],
    ['files.uploadFinalize', 'files', 'uploadFinalize', 'upload-finalize', 'files_upload_finalize'],
    ['domains.whoisSync', 'domains', 'whoisSync', 'whois-sync', 'domains_whois_sync'],
    ['account.sessionRevokeAll', 'account', 'sessionRevokeAll', 'session-revoke-all', 'account_session_revoke_all'],
  ])('all names of %s are derived from the id', (id, area, name, command, tool) => {
    const op = declare(id)
    expect([areaOf(op), nameOf(op), commandOf(op), toolNameOf(op)]).toEqual([area, name, command, tool])
  })
})

it.each([
  ['/v1', []],
  ['/v1/files/{id}', ['id']],
  ['/v1/dns/zones/{zone}/records/{id}', ['zone', 'id']],
])('the placeholders of %s are %j', (path, names) => expect(placeholders(path)).toEqual(names))

describe('required scopes and error codes', () => {
  it.each<[Access, readonly string[], readonly string[]]>([
    ['public', [], ['bad_request', 'internal_error', 'not_found']],
    ['token', [], ['bad_request', 'internal_error', 'not_found', 'unauthorized']],
    [
      { anyOf: ['dns:read'] },
      ['dns:read', 'dns:write'],
      ['bad_request', 'forbidden_scope', 'internal_error', 'not_found', 'unauthorized'],
    ],
  ])('the access %j has its scopes and error codes', (access, required, errors) => {
    const op = declare('area.name', access, ['not_found'])
    expect(requiredScopes(op)).toEqual(required)
    expect(errorsOf(op)).toEqual(errors)
  })

  it('the kind is json by default', () => {
    expect(declare('area.name').kind).toBe('json')
    const stream = { id: 'a.b', method: 'GET', path: '/v1/x', access: 'public', summary: 'Do it', example: {} } as const
    expect(operation({ ...stream, kind: 'stream' }).kind).toBe('stream')
  })
})

it('open() marks a schema and keeps its options', () => {
  const schema = Type.String(open('Not specified.', { maxLength: 3 }))
  expect(JSON.parse(JSON.stringify(schema))).toEqual({ type: 'string', maxLength: 3, [openKey]: 'Not specified.' })
})
