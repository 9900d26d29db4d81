import { Type } from 'typebox'
import { dnsSecondariesMax } from '../limits.js'
import { added, byRule, operation } from '../operation.js'
import { closed, Count, Id, Nullable, PathId, Time, TimeOrNull } from '../schema.js'

/** Nameservers that an account has named for copies of its zones. */

const port = { minimum: 1, maximum: 65_535 } as const

const fields = {
  id: Id('Id of the secondary'),
  address: Type.String({ description: 'Its IP address' }),
  port: Type.Integer({ ...port, description: 'Its port for NOTIFY, over UDP' }),
  key_id: Id('Id of the TSIG key, as a token'),
  key_name: Nullable(Type.String(), { description: 'The label of the key; null after it was revoked' }),
  state: Type.Enum(['waiting', 'ready', 'told', 'refused', 'failing', 'stopped'], {
    description:
      '`waiting` for a signed request over TCP; `ready` once it has come; then `told`, `refused` or `failing` by the last answer; `stopped` while its key or address cannot be used',
  }),
  note: Type.String({ description: 'The state as a sentence, with what to do' }),
  created_at: Time('When it was added'),
  proven_at: TimeOrNull('When the first signed request came from its address; null before'),
  told_at: TimeOrNull('When the last NOTIFY ended, a minute late at most; null before the first'),
  told_zone: Nullable(Type.String(), { description: 'The zone of that NOTIFY' }),
  answer: Nullable(Type.String(), { description: 'Its answer: `NOERROR`, another RCODE, or `none`' }),
}

const example = {
  id: 3,
  address: '192.0.2.53',
  port: 53,
  key_id: 12,
  key_name: 'ns2',
  state: 'told',
  note: '192.0.2.53 has been told about example.com.',
  created_at: '2026-11-20T09:30:00.000Z',
  proven_at: '2026-11-20T09:31:00.000Z',
  told_at: '2026-11-20T10:02:00.000Z',
  told_zone: 'example.com',
  answer: 'NOERROR',
} as const

const waiting = {
  ...example,
  state: 'waiting',
  note: 'Waiting for a signed transfer from 192.0.2.53 over TCP, with the key ns2.',
  ...{ proven_at: null, told_at: null, told_zone: null, answer: null },
} as const

/** A secondary is told about all zones, also about those that the rules of a token hide. */
const refusesRules = 'the secondaries of the account'

export const secondaryList = operation({
  id: 'dns.secondaryList',
  method: 'GET',
  path: '/v1/dns/secondaries',
  access: { anyOf: ['dns:read'] },
  addition: true,
  forPeople: true,
  refusesRules,
  summary: "List the account's own secondary nameservers",
  data: Type.Object({ secondaries: Type.Array(Type.Object(fields)), total: Count('Number of secondaries') }, added({})),
  example: { data: { secondaries: [example], total: 1 } },
})

export const secondaryCreate = operation({
  id: 'dns.secondaryCreate',
  method: 'POST',
  path: '/v1/dns/secondaries',
  access: { anyOf: ['dns:write'] },
  addition: true,
  forPeople: true,
  refusesRules,
  summary: 'Name a secondary nameserver that is told about changes of the zones',
  description: `svc sends NOTIFY (RFC 1996), signed with the key, for each zone that the key may read, after a request for an SOA or a transfer that is signed with the key has come from the address over TCP. An account has at most ${String(dnsSecondariesMax)} secondaries. A token with rules cannot use them.`,
  body: Type.Object(
    {
      address: Type.String({
        ...byRule({ minLength: 2, maxLength: 45, pattern: '^[0-9A-Fa-f:.]+$' }),
        description: 'Its IPv4 or IPv6 address, which must be public',
      }),
      port: Type.Optional(
        Type.Integer({ ...byRule(port), default: 53, description: 'Its port for NOTIFY: 53, or one from 1024' }),
      ),
      key_id: Id('Id of a TSIG key of the account'),
    },
    added(closed),
  ),
  data: Type.Object(fields, added({})),
  example: { body: { address: '192.0.2.53', key_id: 12 }, data: waiting },
})

export const secondaryDelete = operation({
  id: 'dns.secondaryDelete',
  method: 'DELETE',
  path: '/v1/dns/secondaries/{id}',
  access: { anyOf: ['dns:write'] },
  addition: true,
  forPeople: true,
  refusesRules,
  summary: 'Tell a secondary nameserver no more',
  params: Type.Object({ id: PathId('Id of the secondary') }, added({})),
  data: Type.Object({ id: Id('Id of the deleted secondary'), deleted: Type.Literal(true) }, added({})),
  errors: ['not_found', 'forbidden'],
  example: { params: { id: '3' }, data: { id: 3, deleted: true } },
})
