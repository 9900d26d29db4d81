import { Type } from 'typebox'
import { added, byRule, open, operation } from '../operation.js'
import { ApexName, PageOnRequestData, PageOnRequestQuery, PathId, closed, nameMaxLength } from '../schema.js'
import { recordTypes } from '../limits.js'
import {
  DnsRecord,
  NewRecord,
  NewRRset,
  recordHost,
  RecordChanges,
  recordWarnings,
  RRset,
  WrittenRecord,
} from './dns-record.js'
import { Claim, claimStatuses, ListedClaim, LookUp, status, zone, ZonePath, ZoneStep } from './dns-zone.js'

/** Claim a zone, prove control, then manage its records (specification, section 4.4). */

export * from './dns-record.js'
export * from './dns-secondaries.js'
export * from './record-batch.js'
export * from './zone-file.js'
export * from './zone-history.js'
export * from './zone-queries.js'

const RRsetPath = Type.Object({
  zone: ZoneStep,
  host: Type.String(recordHost),
  type: Type.Enum([...recordTypes], { description: 'Type of the records' }),
})

const RecordPath = Type.Object({ zone: ZoneStep, id: PathId('Id of the record') })

const auto = { method: 'auto', verified: true, expected_ns: ['ns1.example.net', 'ns2.example.net'] } as const
const record = {
  id: 12,
  zone: 'example.com',
  type: 'A',
  host: 'www',
  name: 'www.example.com',
  value: '192.0.2.1',
  ttl: 3600,
  priority: null,
  created_at: '2026-11-20T09:30:00.000Z',
  updated_at: '2026-11-20T09:30:00.000Z',
} as const
const rrset = {
  type: 'A',
  host: 'www',
  name: 'www.example.com',
  ttl: 3600,
  priority: null,
  values: ['192.0.2.1'],
} as const

export const zoneList = operation({
  id: 'dns.zoneList',
  method: 'GET',
  path: '/v1/dns/zones',
  access: { anyOf: ['dns:read'] },
  touches: { kind: 'zone', access: 'read' },
  summary: "List the account's zone claims",
  query: Type.Object({
    status: Type.Optional(
      Type.Enum([...claimStatuses, 'all'], { default: 'all', description: 'Only claims in this state' }),
    ),
    ...PageOnRequestQuery,
  }),
  data: Type.Object({
    zones: Type.Array(
      ListedClaim,
      open('Sorted by name. The form of an entry is not shown: a claim as in section 2.2.'),
    ),
    ...PageOnRequestData,
  }),
  example: {
    query: { status: 'all' },
    data: {
      zones: [{ zone: 'example.com', status: 'verified', verification: auto, created_at: '2026-11-20T09:30:00.000Z' }],
    },
  },
})

export const zoneClaim = operation({
  id: 'dns.zoneClaim',
  method: 'POST',
  path: '/v1/dns/zones',
  access: { anyOf: ['dns:write'] },
  touches: { kind: 'zone', access: 'whole', by: 'body.zone' },
  summary: 'Claim a zone',
  description:
    'If no other account has claimed the zone, or one above or below it, it is verified at once. Otherwise the claim is pending, with a TXT value to publish at `_svcdns-verify.<zone>`. Resolvers see the records only after the registrar delegates the zone to `expected_ns`. Claiming a zone again answers the existing claim.',
  open: 'The Public Suffix List determines the apex; subdomains, public suffixes, single labels and IP addresses answer 400. Reverse zones end on octet or nibble boundaries.',
  body: Type.Object({ zone: ApexName('Apex domain, or a reverse zone under in-addr.arpa or ip6.arpa') }, closed),
  data: Claim,
  errors: ['upstream_error'],
  example: { body: { zone: 'example.com' }, data: { zone: 'example.com', status: 'verified', verification: auto } },
})

export const zoneGet = operation({
  id: 'dns.zoneGet',
  method: 'GET',
  path: '/v1/dns/zones/{zone}',
  access: { anyOf: ['dns:read'] },
  touches: { kind: 'zone', access: 'read', by: 'params.zone' },
  summary: 'Get one zone claim, with instructions while it is pending',
  params: ZonePath,
  data: Claim,
  errors: ['forbidden_zone'],
  example: {
    params: { zone: 'example.com' },
    data: {
      zone: 'example.com',
      status: 'pending',
      verification: {
        method: 'txt',
        verified: false,
        name: '_svcdns-verify.example.com',
        value: 'yJ4c0WmQ8sT2bVnKx7eLrA9uHdPfZg3i',
        expected_ns: ['ns1.example.net', 'ns2.example.net'],
      },
    },
  },
})

export const zoneVerify = operation({
  id: 'dns.zoneVerify',
  method: 'POST',
  path: '/v1/dns/zones/{zone}/verify',
  access: { anyOf: ['dns:write'] },
  touches: { kind: 'zone', access: 'read', by: 'params.zone' },
  summary: 'Prove control of a claimed zone',
  description:
    'Looks up the TXT value, or the live NS answers for a legacy claim. A verified zone stays verified. The account that proves control of a contested zone gets it without its records; the claim of the previous holder becomes pending, and so do claims on zones below it that have not been proven.',
  open: 'A look-up that does not match answers 200 with `matched` false. If no resolver can be reached, the answer is `upstream_error`. For a zone that the public DNS does not have, no resolver is queried.',
  params: ZonePath,
  data: Type.Object({
    zone,
    status,
    matched: Type.Boolean(open('The type of `matched` is not shown: true if control is proven, now or earlier.')),
    verified: Type.Boolean({ description: 'Whether the claim is verified now' }),
    note: Type.Optional(Type.String(open('Why the zone is still pending, as a sentence; only while it is.'))),
    lookup: Type.Optional(LookUp),
  }),
  errors: ['forbidden_zone', 'upstream_error'],
  example: {
    params: { zone: 'example.com' },
    data: { zone: 'example.com', status: 'verified', matched: true, verified: true },
  },
})

export const zoneRelease = operation({
  id: 'dns.zoneRelease',
  method: 'DELETE',
  path: '/v1/dns/zones/{zone}',
  access: { anyOf: ['dns:write'] },
  touches: { kind: 'zone', access: 'whole', by: 'params.zone' },
  summary: 'Release a zone claim; its records are not deleted',
  open: 'A released zone is still served until another account is verified; that account starts with an empty zone. The records belong to the account that created them. They are listed and served again when that account is verified again. To stop serving them, delete them before the release.',
  params: ZonePath,
  data: Type.Object({ zone, released: Type.Literal(true, open('The type of `released` is not shown: always true.')) }),
  errors: ['forbidden_zone'],
  example: { params: { zone: 'example.com' }, data: { zone: 'example.com', released: true } },
})

export const recordList = operation({
  id: 'dns.recordList',
  method: 'GET',
  path: '/v1/dns/zones/{zone}/records',
  access: { anyOf: ['dns:read'] },
  touches: { kind: 'zone', access: 'read', by: 'params.zone' },
  summary: 'List the records of a verified zone',
  params: ZonePath,
  query: Type.Object({
    type: Type.Optional(Type.Enum([...recordTypes], { description: 'Only records of this type' })),
    host: Type.Optional(
      Type.String(added({ ...recordHost, description: `Only records at this host. ${recordHost.description}` })),
    ),
    name: Type.Optional(
      Type.String(
        added({
          ...byRule({ minLength: 1, maxLength: nameMaxLength }),
          description: 'Only records at this full name, instead of `host`: `www.example.com`',
        }),
      ),
    ),
    ...PageOnRequestQuery,
  }),
  data: Type.Object({
    zone,
    records: Type.Array(DnsRecord, open('The full record object is not shown beyond the fields of section 2.3.')),
    ...PageOnRequestData,
  }),
  errors: ['forbidden_zone'],
  example: { params: { zone: 'example.com' }, query: { type: 'A' }, data: { zone: 'example.com', records: [record] } },
})

export const recordCreate = operation({
  id: 'dns.recordCreate',
  method: 'POST',
  path: '/v1/dns/zones/{zone}/records',
  access: { anyOf: ['dns:write'] },
  touches: { kind: 'zone', access: 'write', by: 'params.zone' },
  summary: 'Create a record in a verified zone, beside those that exist',
  description:
    'A second A record at `www` adds an address, and resolvers use both; `rrset` lists all values that the name has then. To replace all of them, use `PUT /v1/dns/zones/{zone}/rrsets/{host}/{type}`.',
  open: 'If a record with the same type, host, value and priority exists, its ttl is updated and it is answered. All records of one type and host share one ttl (RFC 2181, section 5.2): the latest write sets it for all, and the answer lists the others in `ttl_changed`.',
  params: ZonePath,
  body: NewRecord,
  data: WrittenRecord,
  errors: ['forbidden_zone', 'upstream_error'],
  example: {
    params: { zone: 'example.com' },
    body: { type: 'A', host: 'www', value: '192.0.2.1', ttl: 3600 },
    data: { ...record, rrset, warnings: [] },
  },
})

export const recordGet = operation({
  id: 'dns.recordGet',
  method: 'GET',
  path: '/v1/dns/zones/{zone}/records/{id}',
  access: { anyOf: ['dns:read'] },
  touches: { kind: 'zone', access: 'read', by: 'params.zone' },
  summary: 'Get one record',
  params: RecordPath,
  data: DnsRecord,
  errors: ['forbidden_zone', 'not_found'],
  example: { params: { zone: 'example.com', id: '12' }, data: record },
})

export const recordUpdate = operation({
  id: 'dns.recordUpdate',
  method: 'PATCH',
  path: '/v1/dns/zones/{zone}/records/{id}',
  access: { anyOf: ['dns:write'] },
  touches: { kind: 'zone', access: 'write', by: 'params.zone' },
  summary: 'Change the supplied fields of a record',
  description: "A record's type cannot be changed: delete the record and create a new one.",
  params: RecordPath,
  body: RecordChanges,
  data: WrittenRecord,
  errors: ['forbidden_zone', 'not_found', 'upstream_error'],
  example: {
    params: { zone: 'example.com', id: '12' },
    body: { value: '192.0.2.2', ttl: 300 },
    data: {
      ...record,
      value: '192.0.2.2',
      ttl: 300,
      updated_at: '2026-11-20T10:00:00.000Z',
      rrset: { ...rrset, ttl: 300, values: ['192.0.2.2'] },
      warnings: [],
    },
  },
})

export const rrsetReplace = operation({
  id: 'dns.rrsetReplace',
  method: 'PUT',
  path: '/v1/dns/zones/{zone}/rrsets/{host}/{type}',
  access: { anyOf: ['dns:write'] },
  touches: { kind: 'zone', access: 'write', by: 'params.zone' },
  addition: true,
  summary: 'Replace all records of one host and type',
  description:
    'Points a name somewhere else in one step: afterwards it has these values and no others of this type. Records whose values stay keep their ids. A repeated call changes nothing. To remove all values, delete the records.',
  params: RRsetPath,
  body: NewRRset,
  data: Type.Object({ zone, rrset: RRset, warnings: recordWarnings }, added({})),
  errors: ['forbidden_zone', 'upstream_error'],
  example: {
    params: { zone: 'example.com', host: 'www', type: 'A' },
    body: { values: ['192.0.2.7'], ttl: 3600 },
    data: { zone: 'example.com', rrset: { ...rrset, values: ['192.0.2.7'] }, warnings: [] },
  },
})

export const recordDelete = operation({
  id: 'dns.recordDelete',
  method: 'DELETE',
  path: '/v1/dns/zones/{zone}/records/{id}',
  access: { anyOf: ['dns:write'] },
  touches: { kind: 'zone', access: 'write', by: 'params.zone' },
  summary: 'Delete a record',
  params: RecordPath,
  data: Type.Object(
    { id: DnsRecord.properties.id, deleted: Type.Literal(true) },
    open('The confirmation of a removal is not shown: the id and `deleted`.'),
  ),
  errors: ['forbidden_zone', 'not_found', 'upstream_error'],
  example: { params: { zone: 'example.com', id: '12' }, data: { id: 12, deleted: true } },
})
