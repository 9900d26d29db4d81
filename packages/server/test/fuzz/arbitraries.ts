import * as fc from 'fast-check'

/** Valid and invalid inputs, generated from the contract's schemas. */

/** The part of JSON Schema that the contract's inputs use. */
interface Schema {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly maxProperties?: number
}

const longText = 300
const longList = 8

/** Valid input. Integers are safe integers, and text has no characters that a database cannot store. */
export function valid(given: object): fc.Arbitrary<unknown> {
  const schema = given as Schema
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(valid))
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type: string) => valid({ ...schema, type })))
  switch (schema.type) {
    case 'string':
      return text(schema)
    case 'integer': {
      const { minimum: min = Number.MIN_SAFE_INTEGER, maximum: max = Number.MAX_SAFE_INTEGER } = schema
      const small = { min: Math.max(min, -3), max: Math.min(max, 9) }
      return small.min <= small.max
        ? fc.oneof(fc.integer(small), fc.maxSafeInteger().map(within(min, max)))
        : fc.integer({ min, max })
    }
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array': {
      const { minItems: minLength = 0, maxItems = longList } = schema
      const bounds = { minLength, maxLength: Math.min(maxItems, Math.max(longList, minLength)) }
      const item = valid(schema.items ?? {})
      return schema.uniqueItems === true ? fc.uniqueArray(item, bounds) : fc.array(item, bounds)
    }
    case 'object':
      return record(schema)
    default:
      throw new Error(`Schemas of type ${String(schema.type)} are not supported: add a case here.`)
  }
}

/** Code points, the unit of `minLength` and `maxLength` in JSON Schema. */
const lengthOf = (candidate: string) => Array.from(candidate).length

const within = (min: number, max: number) => (n: number) => Math.min(Math.max(n, min), max)

function text({ pattern, minLength = 0, maxLength = longText }: Schema): fc.Arbitrary<string> {
  const bounds = { minLength, maxLength: Math.min(maxLength, Math.max(longText, minLength)) }
  const fits = (candidate: string) => lengthOf(candidate) >= minLength && lengthOf(candidate) <= maxLength
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u')).filter(fits)
  const known = ['example.com', '1', 'true', 'null', "'; --", '../..', 'EUR', ' a '].filter(fits)
  return fc.oneof(
    fc.string(bounds),
    fc.string({ ...bounds, unit: 'binary' }).map((some) => some.replaceAll('\0', '0')),
    // Without any that fits, fast-check would try for ever.
    ...(known.length > 0 ? [fc.constantFrom(...known)] : []),
  )
}

function record({ properties = {}, required = [], maxProperties }: Schema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(properties).map(([name, field]) => [name, valid(field)] as const)
  if (maxProperties === 1) return fc.oneof(...fields.map(([name, field]) => field.map((value) => ({ [name]: value }))))
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] })
}

/** JSON text of an unexpected value. Large and deep ones are abbreviated (see `atLength`) for readable failures. */
const oddJson: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('null', 'true', '0', '-0', '-1', '0.5', '1e308', '1e999', '-1e999', '9007199254740993', '1e-400'),
  fc.constantFrom('18446744073709551616', '-9223372036854775809', '2147483648', '1e30', '""', '[]', '{}', '"NaN"'),
  fc.constantFrom(
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udfff\\ud800"',
    '"\\uffff"',
    '"\\u202e"',
    '{"__proto__":{}}',
  ),
  fc
    .tuple(fc.constantFrom('[', '{', 'x'), fc.integer({ min: 100, max: 20_000 }))
    .map(([what, size]) => `"§${what}${size}"`),
  fc.string({ unit: 'binary' }).map((some) => JSON.stringify(some)),
  fc.json({ maxDepth: 3 }),
)

/** Expands abbreviations: `"§[9"` becomes nine nested lists, `"§x9"` a string of nine characters. */
export const atLength = (text: string): string =>
  text.replace(/"§([[{x])(\d+)"/g, (_, what: string, digits: string) => {
    const size = Number(digits)
    if (what === '[') return '['.repeat(size) + ']'.repeat(size)
    return what === '{' ? '{"a":'.repeat(size) + '1' + '}'.repeat(size) : JSON.stringify('x'.repeat(size))
  })

const oddKey = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'length',
    '',
    '0',
    '$ref',
    'a.b',
    'a/b',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

/** The text of a body: a valid object with up to two random defects. */
export function bodyText(schema: object | undefined): fc.Arbitrary<string> {
  const object = schema === undefined ? fc.constant({}) : (valid(schema) as fc.Arbitrary<Record<string, unknown>>)
  const written = object.map((fields) =>
    Object.entries(fields).map(([key, value]) => [key, JSON.stringify(value)] as const),
  )
  const defects = fc.array(fc.tuple(fc.constantFrom('drop', 'replace', 'add', 'repeat'), fc.nat(), oddKey, oddJson), {
    maxLength: 2,
  })
  const objects = fc.tuple(written, defects).map(([fields, some]) => join(some.reduce(withDefect, fields)))
  return fc.oneof(
    { weight: 8, arbitrary: objects },
    oddJson,
    fc.string({ unit: 'binary' }),
    objects.map((text) => text.slice(0, -1)),
  )
}

type Fields = readonly (readonly [key: string, json: string])[]

function withDefect(fields: Fields, [how, at, key, json]: readonly [string, number, string, string]): Fields {
  const index = fields.length === 0 ? 0 : at % fields.length
  const chosen = fields[index]
  if (how === 'drop') return fields.filter((_, i) => i !== index)
  if (how === 'add' || chosen === undefined) return [...fields, [key, json]]
  return how === 'repeat' ? [...fields, [chosen[0], json]] : fields.with(index, [chosen[0], json])
}

const join = (fields: Fields) => `{${fields.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`

/** A valid query as pairs of name and text. */
export const validQuery = (schema: object | undefined): fc.Arbitrary<readonly (readonly [string, string])[]> =>
  schema === undefined
    ? fc.constant([])
    : (valid(schema) as fc.Arbitrary<Record<string, unknown>>).map((fields) =>
        Object.entries(fields).map(
          ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
        ),
      )

/** Text after the question mark of a request line, including malformed queries. */
export const oddQuery = (names: readonly string[]): fc.Arbitrary<string> => {
  const odd = fc.constantFrom(
    '%',
    '%zz',
    '%00',
    '%ff',
    '%ED%A0%80',
    '%F0%9F%98%80',
    '=',
    '&',
    '?',
    '+',
    ';',
    '[]',
    '[0]',
    '#',
    '"',
    '\u00fc',
    '1e999',
    '-1',
  )
  const name = names.length > 0 ? fc.constantFrom(...names) : odd
  return fc
    .array(
      fc.oneof(
        odd,
        name,
        name.map((some) => `&${some}=`),
        fc.string({ unit: 'grapheme-ascii' }).map(encodeURIComponent),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('').replaceAll('#', '%23'))
}

/** A path segment in place of a placeholder. */
export const oddSegment: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '0',
    '-1',
    '1.5',
    '1e9',
    '9007199254740993',
    '99999999999999999999',
    'NaN',
    'null',
    '%00',
    '%2F',
    '%2e%2e',
    '*',
    ':id',
    '%zz',
    '%ED%A0%80',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).map((some) => encodeURIComponent(some)),
  fc.integer({ min: 100, max: 2000 }).map((length) => 'x'.repeat(length)),
)

/** Header values as a client may send them: ISO 8859-1 without control characters. */
const headerValue = fc.oneof(
  fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((c) => c !== 0x7f)
      .map((c) => String.fromCharCode(c)),
    maxLength: 60,
  }),
  fc.constantFrom(
    '*/*',
    'text/html',
    'application/json',
    'W/"x"',
    '*',
    '"',
    ',,,',
    'bytes=0-',
    '::1',
    '1.2.3.4, 5.6.7.8',
    'a=b; c',
    'DE',
  ),
)

export const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.dictionary(
  fc.constantFrom(
    ...[
      'accept',
      'accept-encoding',
      'accept-language',
      'authorization',
      'cache-control',
      'content-encoding',
      'content-type',
    ],
    ...[
      'cookie',
      'forwarded',
      'from',
      'if-match',
      'if-none-match',
      'if-modified-since',
      'origin',
      'range',
      'referer',
      'te',
    ],
    ...[
      'user-agent',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-http-method-override',
      'x-request-id',
    ],
    ...['x-country', 'accept-version', 'access-control-request-method', 'upgrade-insecure-requests', 'via'],
  ),
  headerValue,
  { maxKeys: 4, noNullPrototype: true },
)
