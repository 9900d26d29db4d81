import { Type } from 'typebox'
import { passphraseMaxLength, passphraseMinLength } from '../limits.js'
import { added, operation } from '../operation.js'
import { ApexName, closed, Nullable, Time, TimeOrNull } from '../schema.js'

/** Certificates that svc orders for the zones of an account, and for the own domains of its sites. */

const statuses = ['issued', 'ordering', 'waiting', 'failed'] as const

const Certificate = Type.Object({
  names: Type.Array(Type.String(), { description: 'The names that it is for, sorted' }),
  zone: Nullable(Type.String(), { description: 'The zone that it was ordered for; null for the domain of a site' }),
  site: Nullable(Type.String(), { description: 'The site whose own domain it is for; null for a zone' }),
  status: Type.Enum([...statuses], {
    description:
      '`issued`: there is a valid one. Without one: `ordering` now; `waiting` for its first order, or until a limit or a problem that `error` names is over; `failed`: the last order failed, and is repeated',
  }),
  issuer: Nullable(Type.String(), {
    description: 'The common name of the issuer; null before the first order succeeds',
  }),
  not_after: TimeOrNull('When it expires; null before the first order succeeds'),
  renew_at: TimeOrNull('When it is renewed; null before the first order succeeds'),
  next_attempt: TimeOrNull(
    'When it is ordered again, or the CA is asked about its renewal; null for one that is not ordered any more',
  ),
  error: Nullable(Type.String(), {
    description: 'Why the last order failed, with the words of the CA, and what to do; null after a success',
  }),
  created_at: Time('When it was first asked for'),
})

const ofZone = {
  names: ['*.example.com', 'example.com'],
  zone: 'example.com',
  site: null,
  status: 'issued' as const,
  issuer: 'R12',
  not_after: '2027-02-18T09:30:00.000Z',
  renew_at: '2027-01-19T09:30:00.000Z',
  next_attempt: '2026-11-20T21:30:00.000Z',
  error: null,
  created_at: '2026-11-20T09:30:00.000Z',
}

const waiting = {
  ...ofZone,
  status: 'waiting' as const,
  issuer: null,
  not_after: null,
  renew_at: null,
  next_attempt: '2026-11-20T09:30:00.000Z',
}

const Zone = Type.Object({ zone: ApexName('A verified zone') }, added(closed))

export const list = operation({
  id: 'tls.list',
  method: 'GET',
  path: '/v1/tls/certificates',
  access: { anyOf: ['dns:read'] },
  touches: { kind: 'zone', access: 'read' },
  addition: true,
  summary: 'List the certificates of zones and of the own domains of sites',
  data: Type.Object(
    {
      certificates: Type.Array(Certificate, { description: 'Sorted by zone or domain' }),
      unavailable: Nullable(Type.String(), {
        description: 'Why this server orders no certificates, and what its operator has to set; null if it orders them',
      }),
    },
    added({}),
  ),
  example: { data: { certificates: [ofZone], unavailable: null } },
})

export const order = operation({
  id: 'tls.order',
  method: 'POST',
  path: '/v1/tls/certificates',
  access: { anyOf: ['dns:write'] },
  touches: { kind: 'zone', access: 'whole', by: 'body.zone' },
  addition: true,
  summary: 'Order a certificate for a zone and all names one label below it',
  description:
    'The certificate comes within seconds, is served, and is renewed until it is deleted. Its names are proven in DNS, so the zone must be delegated to `expected_ns`. Asking again answers the same certificate.',
  body: Zone,
  data: Type.Object(Certificate.properties, added({})),
  example: { body: { zone: 'example.com' }, data: waiting },
})

export const renew = operation({
  id: 'tls.renew',
  method: 'POST',
  path: '/v1/tls/certificates/renew',
  access: { anyOf: ['dns:write'] },
  touches: { kind: 'zone', access: 'whole', by: 'body.zone' },
  addition: true,
  summary: 'Order the certificate of a zone again now',
  description:
    'Repeats an order that failed, for example after a correction at the registrar. The limits of orders hold.',
  body: Zone,
  data: Type.Object(Certificate.properties, added({})),
  errors: ['not_found'],
  example: { body: { zone: 'example.com' }, data: waiting },
})

const remove = operation({
  id: 'tls.delete',
  method: 'POST',
  path: '/v1/tls/certificates/delete',
  access: { anyOf: ['dns:write'] },
  touches: { kind: 'zone', access: 'whole', by: 'body.zone' },
  addition: true,
  summary: 'Stop renewing the certificate of a zone',
  description: 'It is served until it expires. Its key can no longer be downloaded.',
  body: Zone,
  data: Type.Object(
    { zone: Type.String({ description: 'The zone, in lower case' }), deleted: Type.Literal(true) },
    added({}),
  ),
  errors: ['not_found'],
  example: { body: { zone: 'example.com' }, data: { zone: 'example.com', deleted: true } },
})

export { remove as delete }

export const key = operation({
  id: 'tls.key',
  method: 'POST',
  path: '/v1/tls/certificates/key',
  access: { anyOf: ['dns:write'] },
  touches: { kind: 'zone', access: 'whole', by: 'body.zone' },
  addition: true,
  summary: 'Download the certificate of a zone with its encrypted private key',
  open: 'The private key leaves the server only encrypted with a passphrase of the caller.',
  description:
    'For other servers of the zone. OpenSSL, nginx and others read the key with the passphrase: PKCS #8, encrypted with PBES2 and AES-256.',
  body: Type.Object(
    {
      ...Zone.properties,
      passphrase: Type.String({
        // Error messages do not show it.
        format: 'password',
        minLength: passphraseMinLength,
        maxLength: passphraseMaxLength,
        description: 'Encrypts the private key',
      }),
    },
    added(closed),
  ),
  data: Type.Object(
    {
      certificate: Type.String({ description: 'In PEM: the certificate, then those of its issuers' }),
      private_key: Type.String({ description: 'In PEM, `ENCRYPTED PRIVATE KEY`' }),
    },
    added({}),
  ),
  errors: ['not_found'],
  example: {
    body: { zone: 'example.com', passphrase: 'correct horse battery' },
    data: {
      certificate: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
      private_key: '-----BEGIN ENCRYPTED PRIVATE KEY-----\n…\n-----END ENCRYPTED PRIVATE KEY-----\n',
    },
  },
})
