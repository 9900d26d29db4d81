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
      '`waiting` for a signed request for an SOA or a transfer from its address over TCP; `ready` when that has come; then `told`, `refused` or `failing` by its answer to the last NOTIFY; `stopped` while svc must not tell it, such as with a paused key',
  }),
  note: Type.String({ description: 'The state as a sentence, with what to do' }),
  created_at: Time('When it was added'),
  proven_at: TimeOrNull('When the first signed request came from its address; null while it is waiting'),
  told_at: TimeOrNull('When the last NOTIFY ended, up to a minute before now; null if none was sent'),
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
  description: `svc sends NOTIFY (RFC 1996), signed with the key, for each zone of the account that the key may read. The first one follows a request for an SOA or a transfer that comes from the address over TCP and is signed with the key: so svc sends nothing to an address without the key. An account has at most ${String(dnsSecondariesMax)} secondaries. A token with rules cannot use them, because they concern all zones of the account.`,
  body: Type.Object(
    {
      address: Type.String({
        ...byRule({ minLength: 2, maxLength: 45, pattern: '^[0-9A-Fa-f:.]+$' }),
        description: 'Its IPv4 or IPv6 address, which must be public',
      }),
      port: Type.Optional(
        Type.Integer({ ...byRule(port), default: 53, description: 'Its port for NOTIFY: 53, or one from 1024' }),
      ),
      key_id: Id('Id of a TSIG key of the account, as the token that it is'),
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
