import { Type } from 'typebox'
import { byRule, open, operation } from '../operation.js'

/** Utilities that need no account (specification, section 4.2). */

/** `value` of hash: at most 8192 bytes, counted in UTF-8 (section 8). */
export const hashInputMaxBytes = 8192

/** Of `symbols` of fx, in characters: all codes of ISO 4217, each with a comma and a space. */
const symbolsMaxLength = 1024

export const hashAlgorithms = ['sha256', 'sha512', 'sha1', 'md5', 'crc32b'] as const

const form = (why: string, options: object = {}) => open(`${why} Types and formats are not shown.`, options)
const unix = () => Type.Integer(form('Whole seconds since 1970-01-01T00:00:00Z.'))
const unixMs = () => Type.Integer(form('Whole milliseconds since 1970-01-01T00:00:00Z.'))

export const time = operation({
  id: 'public.time',
  method: 'GET',
  path: '/v1/public/time',
  access: 'public',
  summary: 'Get the current time in UTC',
  data: Type.Object({
    iso8601: Type.String(form('RFC 3339 in UTC with milliseconds and `Z`.', { format: 'date-time' })),
    rfc2822: Type.String(form('RFC 2822 with the zone `+0000`.')),
    unix: unix(),
    unix_ms: unixMs(),
    timezone: Type.Literal('UTC', form('Always `UTC`.')),
    date: Type.String(form('YYYY-MM-DD.', { format: 'date' })),
    time: Type.String(form('HH:MM:SS.')),
  }),
  example: {
    data: {
      iso8601: '2026-11-20T09:30:00.000Z',
      rfc2822: 'Fri, 20 Nov 2026 09:30:00 +0000',
      unix: 1795167000,
      unix_ms: 1795167000000,
      timezone: 'UTC',
      date: '2026-11-20',
      time: '09:30:00',
    },
  },
})

export const timestamp = operation({
  id: 'public.timestamp',
  method: 'GET',
  path: '/v1/public/timestamp',
  access: 'public',
  summary: 'Get the current Unix timestamp',
  data: Type.Object({ unix: unix(), unix_ms: unixMs() }),
  example: { data: { unix: 1795167000, unix_ms: 1795167000000 } },
})

export const ip = operation({
  id: 'public.ip',
  method: 'GET',
  path: '/v1/public/ip',
  access: 'public',
  summary: 'Get the IP address of the caller',
  data: Type.Object({
    ip: Type.String(form("The caller's address; an IPv4-mapped IPv6 address is shown as IPv4.")),
    version: Type.Enum([4, 6], form('4 or 6.')),
  }),
  example: { data: { ip: '203.0.113.7', version: 4 } },
})

export const geo = operation({
  id: 'public.geo',
  method: 'GET',
  path: '/v1/public/geo',
  access: 'public',
  summary: 'Get the country of the caller',
  description: 'The country as resolved at the edge, or from the country database on disk.',
  data: Type.Object({
    country: Type.Union(
      [Type.String({ pattern: '^[A-Z]{2}$' }), Type.Null()],
      form('ISO 3166-1 alpha-2, or null if unknown.'),
    ),
    known: Type.Boolean(form('Whether `country` is known.')),
  }),
  example: { data: { country: 'DE', known: true } },
})

export const fx = operation({
  id: 'public.fx',
  method: 'GET',
  path: '/v1/public/fx',
  access: 'public',
  summary: 'Get exchange rates, refreshed hourly',
  query: Type.Object({
    base: Type.Optional(
      Type.String({ ...byRule({ pattern: '^[A-Za-z]{3}$' }), description: 'ISO 4217 code; default USD' }),
    ),
    symbols: Type.Optional(
      Type.String({
        ...byRule({ pattern: '^ *[A-Za-z]{3} *(, *[A-Za-z]{3} *)*$' }),
        maxLength: symbolsMaxLength,
        description: 'Comma-separated ISO 4217 codes; default all',
      }),
    ),
  }),
  data: Type.Object({
    base: Type.String(form('ISO 4217 code in upper case.')),
    rates: Type.Record(Type.String(), Type.Number(), form('By currency code: the value of one unit of `base`.')),
    fetched_at: Type.String(
      form('When the rates were fetched; for the bundled rates, their date.', { format: 'date-time' }),
    ),
    cached: Type.Boolean(form('True if no fetch was needed for this answer.')),
  }),
  errors: ['not_found'],
  example: {
    query: { base: 'USD', symbols: 'EUR,GBP' },
    data: { base: 'USD', rates: { EUR: 0.86, GBP: 0.74 }, fetched_at: '2026-11-20T09:00:00.000Z', cached: true },
  },
})

export const hash = operation({
  id: 'public.hash',
  method: 'GET',
  path: '/v1/public/hash',
  access: 'public',
  summary: 'Hash a string',
  query: Type.Object({
    value: Type.String({
      ...byRule({ maxLength: hashInputMaxBytes }),
      description: `The string to hash, at most ${String(hashInputMaxBytes)} bytes in UTF-8`,
    }),
    algo: Type.Optional(Type.Enum([...hashAlgorithms], { description: 'Default sha256' })),
  }),
  data: Type.Object({
    algo: Type.Enum([...hashAlgorithms], form('The algorithm that was used.')),
    hex: Type.String(form('The digest in lower-case hexadecimal.')),
    base64: Type.String(form('The digest in base64; crc32b as four big-endian bytes.')),
    length: Type.Integer(form('The length of `value` in bytes.')),
  }),
  example: {
    query: { value: 'hello', algo: 'sha256' },
    data: {
      algo: 'sha256',
      hex: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      base64: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
      length: 5,
    },
  },
})
