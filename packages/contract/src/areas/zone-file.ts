import { Type } from 'typebox'
import { recordTypes, zoneFileMaxLength } from '../limits.js'
import { added, byRule, operation } from '../operation.js'
import { closed, Count, Id, Nullable } from '../schema.js'
import { ZonePath } from './dns-zone.js'

/** Zone files: export, and import with a preview of the difference. */

const body = Type.Object(
  {
    text: Type.String({
      ...byRule({ minLength: 1, maxLength: zoneFileMaxLength }),
      description: 'The contents of a zone file (RFC 1035, section 5)',
    }),
    replace: Type.Optional(
      Type.Boolean({ default: false, description: 'Delete the records that the file does not have' }),
    ),
  },
  added(closed),
)

const counts = {
  created: Count('Records that are created'),
  ttl_changed: Count('Existing records that get another ttl'),
  deleted: Count('Records that are deleted'),
}

const Remark = Type.Object({
  line: Type.Integer({ description: 'Line of the file, from 1' }),
  text: Type.String({ description: 'A sentence' }),
})

const Change = Type.Object({
  change: Type.Enum(['created', 'ttl_changed', 'deleted'], { description: 'What happens to the record' }),
  type: Type.Enum([...recordTypes]),
  host: Type.String({ description: 'Name without the zone' }),
  value: Type.String({ description: 'In canonical form' }),
  ttl: Type.Integer({ description: 'Seconds; of a deleted record, as it was' }),
  priority: Nullable(Type.Integer(), { description: 'Null for types other than MX and SRV' }),
  line: Nullable(Type.Integer(), {
    description: 'Line of the file, from 1; null for a record that the file does not have',
  }),
})

export const zoneFileExport = operation({
  id: 'dns.zoneFileExport',
  method: 'GET',
  path: '/v1/dns/zones/{zone}/zone-file',
  access: { anyOf: ['dns:read'] },
  touches: { kind: 'zone', access: 'read', by: 'params.zone' },
  addition: true,
  kind: 'stream',
  summary: 'Download a verified zone as a zone file',
  params: ZonePath,
  produces: ['text/dns'],
  errors: ['forbidden_zone'],
  example: { params: { zone: 'example.com' } },
})

const text = 'www 3600 IN A 192.0.2.1\n'

export const zoneFilePreview = operation({
  id: 'dns.zoneFilePreview',
  method: 'POST',
  path: '/v1/dns/zones/{zone}/zone-file/preview',
  access: { anyOf: ['dns:read'] },
  touches: { kind: 'zone', access: 'read', by: 'params.zone' },
  addition: true,
  summary: 'Show what the import of a zone file would change',
  params: ZonePath,
  body,
  fileText: 'text',
  data: Type.Object(
    {
      ...counts,
      unchanged: Count('Existing records that stay as they are'),
      changes: Type.Array(Change, { description: 'The first 1,000' }),
      notes: Type.Array(Remark, { description: 'Lines that are skipped or read differently, at most 1,000' }),
      problems: Type.Array(Remark, {
        description: 'Invalid lines, at most 1,000. If there is one, nothing can be imported',
      }),
    },
    added({}),
  ),
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
  path: '/v1/dns/zones/{zone}/zone-file/import',
  access: { anyOf: ['dns:write'] },
  touches: { kind: 'zone', access: 'write', by: 'params.zone' },
  addition: true,
  summary: 'Import all records of a zone file, or none',
  params: ZonePath,
  body,
  fileText: 'text',
  data: Type.Object({ ...counts, serial: Id('Serial of the zone after the import') }, added({})),
  errors: ['forbidden_zone', 'upstream_error'],
  example: {
    params: { zone: 'example.com' },
    body: { text },
    data: { created: 1, ttl_changed: 0, deleted: 0, serial: 2 },
  },
})
