import { describe, expect, it } from 'vitest'
import { operations } from '../src/areas/index.js'
import { consoleOperations } from '../src/console/index.js'
import { fieldsOf, type JsonSchema } from '../src/emit/json-schema.js'
import { plainTextPattern } from '../src/schema.js'
import { fileNameProblem, recordTypes, withoutInvisible } from '../src/limits.js'
import { hashAlgorithms } from '../src/areas/public.js'
import { at, find, plain } from './operations.js'

const records = '/v1/dns/zones/{zone}/records'

describe('the limits of section 8', () => {
  it('the ttl of a new record is 60 to 2592000 seconds, by default 3600', () => {
    const { body } = find({ method: 'POST', path: records })
    expect(at(plain(body), 'ttl')).toMatchObject({ type: 'integer', minimum: 60, maximum: 2592000, default: 3600 })
  })

  it('the ttl of an update has the same bounds and no default, since only supplied fields change', () => {
    const { body } = find({ method: 'PATCH', path: `${records}/{id}` })
    expect(at(plain(body), 'ttl')).toMatchObject({ type: 'integer', minimum: 60, maximum: 2592000 })
    expect(JSON.stringify(body)).not.toContain('"default"')
  })

  it('the input of a hash has at most 8192 bytes', () => {
    const { query } = find({ method: 'GET', path: '/v1/public/hash' })
    expect(at(plain(query), 'value')?.description).toMatch(/at most 8192 bytes/)
  })

  it('a display name has at most 64 characters', () => {
    const { body } = find({ method: 'POST', path: '/v1/account/profile' })
    expect(at(plain(body), 'value')?.description).toMatch(/^At most 64 characters/)
  })

  it('exchange rates are refreshed hourly', () => {
    expect(find({ method: 'GET', path: '/v1/public/fx' }).summary).toMatch(/hourly/)
  })
})

describe('the values that the specification lists', () => {
  const types = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SRV', 'CAA', 'PTR', 'SPF']

  it('the record types in the body and in the filter are those of section 2.3', () => {
    expect(recordTypes).toEqual(types)
    expect(at(plain(find({ method: 'POST', path: records }).body), 'type')?.enum).toEqual(types)
    expect(at(plain(find({ method: 'GET', path: records }).query), 'type')?.enum).toEqual(types)
  })

  it('the states of a claim are those of sections 2.2 and 4.4, and `all` is accepted in the filter', () => {
    const { query } = find({ method: 'GET', path: '/v1/dns/zones' })
    const { data } = find({ method: 'GET', path: '/v1/dns/zones/{zone}' })
    expect(at(plain(query), 'status')).toMatchObject({ enum: ['verified', 'pending', 'all'], default: 'all' })
    expect(at(plain(data), 'status')?.enum).toEqual(['verified', 'pending'])
  })

  it('the hash algorithms and the field of the profile are those of sections 4.2 and 4.3', () => {
    expect(hashAlgorithms).toEqual(['sha256', 'sha512', 'sha1', 'md5', 'crc32b'])
    expect(at(plain(find({ method: 'GET', path: '/v1/public/hash' }).query), 'algo')?.enum).toEqual(hashAlgorithms)
    expect(at(plain(find({ method: 'POST', path: '/v1/account/profile' }).body), 'field')?.const).toBe('nickname')
  })
})

/** Every schema of the input, as documents show it, by operation and field. */
const sent = [...operations, ...consoleOperations].flatMap((op) =>
  [op.params, op.query, op.body].flatMap(fieldsOf).flatMap(({ name, schema }) => nested(`${op.id} ${name}`, schema)),
)

function nested(place: string, schema: JsonSchema): [string, JsonSchema][] {
  const inside = [...(schema.items ? [schema.items] : []), ...Object.values(schema.properties ?? {})]
  return [[place, schema], ...inside.flatMap((child) => nested(place, child))]
}

describe('the limits of the input', () => {
  it.each(sent.filter(([, { type }]) => type === 'integer'))(
    '%s has bounds within the exact integers of JSON',
    (_, schema) => {
      expect([schema.minimum, schema.maximum].map(Number.isSafeInteger)).toEqual([true, true])
    },
  )

  it.each(sent.filter(([, { pattern }]) => pattern !== undefined))(
    '%s has a pattern that all kinds of validators support',
    (_, { pattern = '' }) => {
      expect(pattern).toMatch(/^\^.*\$$/)
      expect(() => [new RegExp(pattern), new RegExp(pattern, 'u')]).not.toThrow()
      // Not supported by Python (Unicode classes) and RE2 (lookaround, backreferences).
      expect(pattern).not.toMatch(/\\[pP]\{|\(\?[=!<]|\\[1-9]/)
    },
  )

  it('plain text excludes the control, format, separator and default-ignorable characters of Unicode, but no joiner or selector', () => {
    const pattern = new RegExp(plainTextPattern)
    const differing = Array.from({ length: 0x10000 }, (_, code) => code).filter((code) => {
      const character = String.fromCharCode(code)
      const isInvisible = /(?![\u200c\u200d]|\p{VS})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/u.test(character)
      return pattern.test(character) === isInvisible
    })
    expect(differing).toEqual([])
  })

  it('every default-ignorable code point is refused between letters, of all planes', () => {
    // The other planes have none.
    const planes = [0x00000, 0x10000, 0xe0000].map((first) =>
      Array.from({ length: 0x10000 }, (_, code) => String.fromCodePoint(first + code)).join(' '),
    )
    const ignorable = planes.flatMap((plane) => plane.match(/\p{DI}/gu) ?? [])
    expect(ignorable.length).toBeGreaterThan(4000)
    expect(ignorable.filter((character) => fileNameProblem(`a${character}b.txt`) === undefined)).toEqual([])
  })

  it.each([...['می‌خواهم', 'क्‍ष', 'ශ්‍රී', '👩‍🚀', '👩🏽‍🚀', '❤️‍🔥', '❤️', '1️⃣', '☎︎', '葛󠄀', 'ᠠ᠋']])(
    '%s needs its joiner or variation selector, and is accepted',
    (name) => {
      expect(fileNameProblem(`${name}.txt`)).toBeUndefined()
    },
  )

  it.each([
    ...['a\u200db', '\u200da', 'a\ufe0f', '1\ufe0f', '漢\u200d字', '\u{e0100}', '👩\u200d.txt', 'ㅤ', '❤\ufe0f\ufe0f'],
  ])('%j has one that nothing needs, and is refused', (name) => {
    expect(fileNameProblem(name)).toBe('must not contain control characters or invisible format characters')
  })

  it('shows with U+FFFD where a text has invisible characters', () => {
    expect(withoutInvisible('a\u202etxt\n.exe, می\u200cخواهم')).toBe('a\ufffdtxt\ufffd.exe, می\u200cخواهم')
  })

  it.each([
    [
      'dns.zoneClaim zone',
      ['example.com', 'bücher.de', '2.0.192.in-addr.arpa', 'Example.COM.'],
      ['com', '', 'https://a.b', 'a b.c', 'a..b', 'ada@a.b'],
    ],
    [
      'dns.recordCreate host',
      ['', '@', '*', '*.dev', '_sip._tcp', 'bücher', 'a.b.c'],
      ['a..b', '*a', 'a.*', '.a', 'a.', 'a b', 'a/b'],
    ],
    ['public.fx symbols', ['EUR', 'eur,GBP', 'EUR, GBP '], ['', 'EU', 'EUR,', 'EUR;GBP', 'EURO']],
    ['public.fx base', ['EUR', 'usd'], ['', 'EURO', 'E1R']],
    ['dns.recordGet id', ['1', '9007199254740991'], ['0', '01', '-1', '1.5', 'x', '90071992547409910']],
    [
      'account.profileUpdate value',
      ['', 'Ada', '阿达', 'e\u0301', '🚀', '👩\u200d🚀', 'می\u200cخواهم'],
      ['a\nb', 'a\0', 'a\u202eb', 'a\u200b', '\ufeff'],
    ],
  ])('the pattern of %s accepts and rejects the right texts', (place, good, bad) => {
    const schema = sent.find(([name]) => name === place)?.[1]
    const takes = (text: string) => new RegExp(schema?.pattern ?? '', 'u').test(text)
    expect(good.filter((text) => !takes(text))).toEqual([])
    expect(bad.filter(takes)).toEqual([])
  })

  it('priority has 16 bits', () => {
    expect(sent.find(([name]) => name === 'dns.recordCreate priority')?.[1]).toMatchObject({
      minimum: 0,
      maximum: 65535,
    })
  })
})
