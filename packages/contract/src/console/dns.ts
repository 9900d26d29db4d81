import { Type } from 'typebox'
import { LookUp } from '../areas/dns-zone.js'
import { recordTypes, zoneFileMaxLength } from '../limits.js'
import { byRule, open, operation } from '../operation.js'
import { Id, Nullable, closed } from '../schema.js'

/** Zone files in the console: export, and import with a preview of the difference; and the delegation of a zone. */

const notShown = 'The specification has no zone files: the console imports and exports them.'

const ZonePath = Type.Object({
  zone: Type.String(open(notShown, { ...byRule({ minLength: 1, maxLength: 253 }), description: 'Apex of the zone' })),
})

const body = Type.Object(
  {
    text: Type.String(
      open(notShown, {
        ...byRule({ minLength: 1, maxLength: zoneFileMaxLength }),
        description: 'The contents of a zone file (RFC 1035, section 5)',
      }),
    ),
    replace: Type.Optional(
      Type.Boolean(open(notShown, { default: false, description: 'Delete the records that the file does not have' })),
    ),
  },
  closed,
)

const count = (description: string) => Type.Integer(open(notShown, { minimum: 0, description }))

const counts = {
  created: count('Records that are created'),
  ttl_changed: count('Existing records that get another ttl'),
  deleted: count('Records that are deleted'),
}

const Remark = Type.Object(
  { line: Type.Integer({ description: 'Line of the file, from 1' }), text: Type.String({ description: 'A sentence' }) },
  open(notShown),
)

const Change = Type.Object(
  {
    change: Type.Enum(['created', 'ttl_changed', 'deleted'], { description: 'What happens to the record' }),
    type: Type.Enum([...recordTypes]),
    host: Type.String({ description: 'Name without the zone' }),
    value: Type.String({ description: 'In canonical form' }),
    ttl: Type.Integer({ description: 'Seconds; of a deleted record, as it was' }),
    priority: Nullable(Type.Integer(), { description: 'Null for types other than MX and SRV' }),
    line: Nullable(Type.Integer(), {
      description: 'Line of the file, from 1; null for a record that the file does not have',
    }),
  },
  open(notShown),
)

export const zoneFileExport = operation({
  id: 'dns.zoneFileExport',
  method: 'GET',
  path: '/console/api/dns/zones/{zone}/zone-file',
  access: 'token',
  kind: 'stream',
  summary: 'Download a verified zone as a zone file',
  open: notShown,
  params: ZonePath,
  produces: ['text/dns'],
  errors: ['forbidden_zone'],
  example: { params: { zone: 'example.com' } },
})

const noDelegation = 'The specification has no look-up of a delegation: the page of a zone shows it.'

export const delegation = operation({
  id: 'dns.delegation',
  method: 'GET',
  path: '/console/api/dns/zones/{zone}/delegation',
  access: 'token',
  summary: "Look up whether the public DNS has this server's nameservers for a verified zone",
  open: noDelegation,
  params: ZonePath,
  data: Type.Object(
    {
      zone: Type.String({ description: 'Apex of the zone' }),
      state: Type.Enum(['live', 'waiting', 'unknown'], {
        description:
          '`live`: the resolvers found these nameservers and no others; `waiting`: they found others or none; `unknown`: none of them could tell',
      }),
      lookup: Type.Object(LookUp.properties),
    },
    open(noDelegation),
  ),
  errors: ['forbidden_zone'],
  example: {
    params: { zone: 'example.com' },
    data: {
      zone: 'example.com',
      state: 'waiting',
      lookup: {
        type: 'NS',
        name: 'example.com',
        expected: ['ns1.svc.example', 'ns2.svc.example'],
        looked_up_at: '2026-11-20T09:30:00.000Z',
        resolvers: [{ resolver: '192.0.2.53', result: 'found', values: ['ns1.old.example'], more: 0 }],
      },
    },
  },
})

const text = 'www 3600 IN A 192.0.2.1\n'

export const zoneFilePreview = operation({
  id: 'dns.zoneFilePreview',
  method: 'POST',
  path: '/console/api/dns/zones/{zone}/zone-file/preview',
  access: 'token',
  summary: 'Show what the import of a zone file would change',
  open: notShown,
  params: ZonePath,
  body,
  data: Type.Object({
    ...counts,
    unchanged: count('Existing records that stay as they are'),
    changes: Type.Array(Change, open(notShown, { description: 'The first 1,000' })),
    notes: Type.Array(
      Remark,
      open(notShown, { description: 'Lines that are skipped or read differently, at most 1,000' }),
    ),
    problems: Type.Array(
      Remark,
      open(notShown, { description: 'Invalid lines, at most 1,000. If there is one, nothing can be imported' }),
    ),
  }),
  errors: ['forbidden_zone'],
  example: {
    params: { zone: 'example.com' },
    body: { text },
    data: {
      created: 1,
      ttl_changed: 0,
      deleted: 0,
      unchanged: 0,
      changes: [{ change: 'created', type: 'A', host: 'www', value: '192.0.2.1', ttl: 3600, priority: null, line: 1 }],
      notes: [],
      problems: [],
    },
  },
})

export const zoneFileImport = operation({
  id: 'dns.zoneFileImport',
  method: 'POST',
  path: '/console/api/dns/zones/{zone}/zone-file/import',
  access: 'token',
  summary: 'Import all records of a zone file, or none',
  open: notShown,
  params: ZonePath,
  body,
  data: Type.Object({ ...counts, serial: Id('Serial of the zone after the import') }),
  errors: ['forbidden_zone', 'upstream_error'],
  example: {
    params: { zone: 'example.com' },
    body: { text },
    data: { created: 1, ttl_changed: 0, deleted: 0, serial: 2 },
  },
})
