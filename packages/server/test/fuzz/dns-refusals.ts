import type { Refusal } from './refusal.js'

/** Input for zones and records that the schemas of the contract allow and the server refuses. */

const record = (body: Record<string, unknown>) => ({ body: { type: 'A', host: 'www', value: '192.0.2.1', ...body } })

const values: readonly Refusal[] = [
  { message: /^value /, why: 'The form of `value` depends on `type`.', example: record({ value: 'x' }) },
  {
    message: /^(host (must be |@ )|The host and the zone together have |\S+ (cannot have|already has) )/,
    why: 'IDNA, the length with the zone, and conflicts with other records of the host.',
    example: record({ host: '-' }),
  },
]

/** By operation id. */
export const dnsRefusals: Readonly<Record<string, readonly Refusal[]>> = {
  'dns.zoneClaim': [
    {
      message: /^zone must (?!.*: it (has one label|is a URL)\.$)/,
      why: 'The Public Suffix List decides which names are an apex, IDNA which labels are valid.',
      example: { body: { zone: 'www.example.com' } },
    },
  ],
  'dns.recordList': [
    {
      message: /^(host must be |The host and the zone together have )/,
      why: 'IDNA, and the length with the zone.',
      example: { query: { host: '-' } },
    },
    {
      message: /^name (must be |cannot be combined with host)/,
      why: 'Which names are in the zone, and that one of two filters is enough.',
      example: { query: { name: 'www.example.net' } },
    },
  ],
  'dns.recordCreate': [
    ...values,
    {
      message: /^priority is required for (MX|SRV)/,
      why: 'Required for two types only. Code generators handle a flat object better than conditions.',
      example: record({ type: 'MX', value: 'mail.example.net' }),
    },
  ],
  'dns.recordUpdate': [
    ...values,
    {
      message: /^type cannot be changed/,
      why: 'The type of the record is not in the request.',
      example: { body: { type: 'MX' } },
    },
  ],
  'dns.rrsetReplace': [
    {
      message:
        /^(The host and the zone |\S+ (cannot|already) |(host|values(\[\d+\])?) (must (?!have at (least|most) )|has |is the same as ))/,
      why: 'The form of a value depends on `type`; IDNA; and conflicts with other values and records of the host.',
      example: { body: { values: ['192.0.2.1', 'www.example.net'] } },
    },
  ],
  'dns.recordsBatch': [
    {
      message:
        /^changes\[\d+\]\.(create|update|delete|replace)\.(type|host|values?(\[\d+\])?|priority)(:| (?!must have at (least|most) ))/,
      why: 'The form of a value depends on `type`; IDNA; and conflicts with other changes and records.',
      example: { body: { changes: [{ create: { type: 'A', host: 'www', value: 'x' } }] } },
    },
  ],
  'dns.historyList': [
    {
      message: /^(host must be |The host and the zone together have )/,
      why: 'IDNA, and the length with the zone.',
      example: { query: { host: '-' } },
    },
  ],
  'dns.historyRevert': [
    {
      message: /^(serial is required|to cannot be combined)/,
      why: 'One of two fields. Code generators handle a flat object better than alternatives.',
      example: { body: {} },
    },
    {
      message: /^if_serial must be the serial of the zone/,
      why: 'Whether the zone has changed since the caller has seen it.',
      example: { body: { serial: 1, if_serial: 1 } },
    },
  ],
  'dns.secondaryCreate': [
    {
      message: /^address must (?!have at (least|most) )/,
      why: 'Only a parser knows which texts are addresses, and the operator decides which of them svc may send to.',
      example: { body: { address: '10.0.0.1', key_id: 1 } },
    },
    {
      message: /^port must be 53 or a port from 1024/,
      why: 'Ports of other services. A schema with two alternatives is harder for code generators.',
      example: { body: { address: '9.9.9.9', port: 25, key_id: 1 } },
    },
    {
      message: /^key_id must be the id of a TSIG key/,
      why: 'The keys of the account.',
      example: { body: { address: '9.9.9.9', key_id: 987_654_321 } },
    },
  ],
  'dns.zoneFileImport': [
    {
      message: /^text has (invalid lines|no records for)/,
      why: 'The form of a zone file, and which records may stand together.',
      example: { body: { text: 'www A 300.0.0.1' } },
    },
  ],
  'dns.zoneFilePreview': [
    { message: /^text has no records for/, why: 'The form of a zone file.', example: { body: { text: '; nothing' } } },
  ],
}
