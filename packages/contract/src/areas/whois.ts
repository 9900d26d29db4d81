import { Type } from 'typebox'
import { open, operation } from '../operation.js'
import { Nullable, Time, TimeOrNull } from '../schema.js'

/** Registration data (specification, section 4.5). */

export const whoisSources = ['rdap', 'whois'] as const

export const Registration = Type.Object(
  {
    domain: Type.String({ description: 'The name that was looked up, in lower case; IDNs in punycode' }),
    registrar: Nullable(Type.String(), { description: 'Null where unknown' }),
    created_at: TimeOrNull('When it was registered'),
    updated_at: TimeOrNull('When the registration was last changed'),
    expires_at: TimeOrNull('When the registration ends'),
    nameservers: Type.Array(Type.String(), { description: 'As the registry has them' }),
    statuses: Type.Array(Type.String(), { description: 'As the registry has them' }),
    dnssec: Nullable(Type.Boolean(), {
      description: 'Whether the delegation is signed; null where unknown',
    }),
    source: Type.Enum([...whoisSources], { description: 'RDAP first, WHOIS where there is none' }),
    raw: Nullable(Type.String(), { description: 'The text of the registry for WHOIS; null for RDAP' }),
    cached: Type.Boolean({ description: 'True when this answer needed no look-up' }),
    fetched_at: Time('When the registry was asked'),
  },
  open('The fields of registration data are not shown.'),
)

export const lookup = operation({
  id: 'whois.lookup',
  method: 'GET',
  path: '/v1/whois',
  access: { anyOf: ['whois:read'] },
  summary: 'Get registration data for a domain',
  description: 'Cached, and shared with the domain tools.',
  open: 'Answers are kept a day. A domain without a registration is 404; a registry that does not answer is 502.',
  query: Type.Object({
    domain: Type.String(
      open('How the domain is named is not shown.', {
        minLength: 1,
        maxLength: 253,
        description: 'The domain to look up',
      }),
    ),
  }),
  data: Registration,
  errors: ['not_found', 'upstream_error'],
  example: {
    query: { domain: 'example.com' },
    data: {
      domain: 'example.com',
      registrar: 'Example Registrar, Inc.',
      created_at: '1995-08-14T04:00:00.000Z',
      updated_at: '2026-08-14T07:01:44.000Z',
      expires_at: '2027-08-13T04:00:00.000Z',
      nameservers: ['a.iana-servers.net', 'b.iana-servers.net'],
      statuses: ['client transfer prohibited'],
      dnssec: true,
      source: 'rdap',
      raw: null,
      cached: false,
      fetched_at: '2026-11-20T09:30:00.000Z',
    },
  },
})
