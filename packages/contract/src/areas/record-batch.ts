import { Type, type Static } from 'typebox'
import { batchChangesMax, batchValuesMax, recordTypes } from '../limits.js'
import { added, operation } from '../operation.js'
import { closed, idBounds } from '../schema.js'
import { DnsRecord, NewRecord, NewRRset, recordHost, RecordChanges, warningsAbout } from './dns-record.js'
import { zone, ZonePath } from './dns-zone.js'

/** Several changes of records in one step. */

const recordId = { id: Type.Integer({ ...idBounds, description: 'Id of the record' }) }

const BatchUpdate = Type.Object(
  { ...recordId, ...RecordChanges.properties },
  { ...closed, description: 'Changes the supplied fields of a record' },
)
const BatchDelete = Type.Object(recordId, { ...closed, description: 'Deletes a record' })
const BatchReplace = Type.Object(
  {
    host: Type.String(recordHost),
    type: Type.Enum([...recordTypes], { description: 'Type of the records' }),
    ...NewRRset.properties,
  },
  { ...closed, description: 'Replaces all records of one host and type' },
)

/** One object with four optional fields: with `anyOf`, a refusal would be about the first alternative. */
const anyChange = Type.Object(
  {
    create: Type.Optional(Type.Object(NewRecord.properties, { ...closed, description: 'Creates a record' })),
    update: Type.Optional(BatchUpdate),
    delete: Type.Optional(BatchDelete),
    replace: Type.Optional(BatchReplace),
  },
  {
    ...closed,
    minProperties: 1,
    maxProperties: 1,
    description:
      'One of create, update, delete and replace. Their fields are those of the operations on single records',
  },
)

type BatchChange =
  | { create: Static<typeof NewRecord> }
  | { update: Static<typeof BatchUpdate> }
  | { delete: Static<typeof BatchDelete> }
  | { replace: Static<typeof BatchReplace> }

/** What changes several records in one step. */
const RecordBatch = Type.Object(
  {
    changes: Type.Array(Type.Unsafe<BatchChange>(anyChange), {
      minItems: 1,
      maxItems: batchChangesMax,
      description: 'Applied in this order: a deletion makes room for a later creation',
    }),
    dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Only answer what would change' })),
  },
  added(closed),
)

const batchWarnings = warningsAbout(
  Type.String({ description: 'The field that it is about: `changes[3].create.value`' }),
)

const record = {
  zone: 'example.com',
  ttl: 3600,
  priority: null,
  created_at: '2026-11-20T09:30:00.000Z',
  updated_at: '2026-11-20T09:30:00.000Z',
} as const

export const recordsBatch = operation({
  id: 'dns.recordsBatch',
  method: 'POST',
  path: '/v1/dns/zones/{zone}/records/batch',
  access: { anyOf: ['dns:write'] },
  touches: { kind: 'zone', access: 'write', by: 'params.zone' },
  addition: true,
  summary: 'Change several records in one step, all or none',
  description:
    'The result is that of the single operations one after the other, with one step of the serial, and no DNS query sees a part of it. The first change that is refused refuses all, and the error names it: `changes[3].create.value`. A record that changes is in `removed` as it was and in `added` as it is.',
  params: ZonePath,
  body: RecordBatch,
  maxBodyValues: batchValuesMax,
  data: Type.Object(
    {
      zone,
      dry_run: Type.Boolean({ description: 'Whether nothing was changed' }),
      removed: Type.Array(DnsRecord, { description: 'Records that were deleted or changed, as they were, by id' }),
      added: Type.Array(DnsRecord, {
        description:
          'Records that were created or changed, as they are, by id. The ids of new records are in the order of the changes; after a dry run, another change may get them',
      }),
      warnings: batchWarnings,
    },
    added({}),
  ),
  errors: ['forbidden_zone', 'not_found', 'upstream_error'],
  example: {
    params: { zone: 'example.com' },
    body: {
      changes: [
        { create: { type: 'A', host: 'www', value: '192.0.2.1', ttl: 3600 } },
        { replace: { host: '@', type: 'TXT', values: ['v=spf1 -all'] } },
      ],
    },
    data: {
      zone: 'example.com',
      dry_run: false,
      removed: [],
      added: [
        { id: 12, type: 'A', host: 'www', name: 'www.example.com', value: '192.0.2.1', ...record },
        { id: 13, type: 'TXT', host: '@', name: 'example.com', value: 'v=spf1 -all', ...record },
      ],
      warnings: [],
    },
  },
})
