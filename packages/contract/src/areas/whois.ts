import { Type } from 'typebox'
import { open, operation } from '../operation.js'
import { Nullable, Time, TimeOrNull } from '../schema.js'

/** Registration data (specification, section 4.5). */

export const whoisSources = ['rdap', 'whois'] as const

export const Registration = Type.Object(
  {
    domain: Type.String({ description: 'The domain, in lower case; IDNs in punycode' }),
    registrar: Nullable(Type.String(), { description: 'Null if unknown' }),
    created_at: TimeOrNull('When it was registered'),
    updated_at: TimeOrNull('When the registration was last changed'),
    expires_at: TimeOrNull('When the registration ends'),
    nameservers: Type.Array(Type.String(), { description: 'As in the registry record' }),
    statuses: Type.Array(Type.String(), { description: 'As in the registry record' }),
    dnssec: Nullable(Type.Boolean(), { description: 'Whether the delegation is signed; null if unknown' }),
    source: Type.Enum([...whoisSources], { description: 'RDAP, or WHOIS if the registry has no RDAP' }),
    raw: Nullable(Type.String(), { description: 'Text of the WHOIS answer; null for RDAP' }),
    cached: Type.Boolean({ description: 'True if no look-up was needed for this answer' }),
    fetched_at: Time('When the registry answered'),
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
  open: 'Answers are cached for a day. An unregistered domain answers 404; if the registry does not answer, the answer is 502.',
  query: Type.Object({
    domain: Type.String(
      open('The name of the parameter is not shown.', {
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
