import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from '../app.js'
import { expectError, send, type HttpCall } from '../raw-http.js'

/** Accepted and refused input: bodies are strict JSON, query fields are converted to their declared type. */

let app: TestApp
let token: string
beforeAll(async () => {
  app = await startApp()
  token = await app.token(await app.account('ada@example.com'), '*')
})
afterAll(() => app.stop())

const profile = (body: NonNullable<HttpCall['body']>, headers: Record<string, string> = {}) =>
  send(app.url, 'POST', '/v1/account/profile', {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body,
  })
const get = (path: string) => send(app.url, 'GET', path, { headers: { authorization: `Bearer ${token}` } })

const ada = '{"field":"nickname","value":"Ada"}'

describe('an unusual body', () => {
  it.each([
    ['as plain JSON', ada, {}],
    [
      'with a charset parameter, which JSON does not define (RFC 8259, section 11)',
      ada,
      { 'content-type': 'application/json; charset=utf-8' },
    ],
    ['with its media type in capitals', ada, { 'content-type': 'Application/JSON;charset="UTF-8"' }],
    ['after a byte order mark', `\uFEFF${ada}`, {}],
    ['with a duplicate key, of which the last counts', ada.replace('{', '{"value":"Bob",'), {}],
    ['with white space around it', `\r\n\t ${ada} \n`, {}],
    ['with escapes', '{"field":"nick\\u006eame","value":"\\u0041da"}', {}],
  ])('a body is accepted %s', async (_, body, headers) => {
    expect((await profile(body, headers)).body).toMatchObject({ success: true, data: { value: 'Ada' } })
  })

  it('a body is accepted with chunked transfer encoding', async () => {
    expect((await profile(ada, { 'transfer-encoding': 'chunked' })).body['data']).toEqual({ value: 'Ada' })
  })

  it('a text in any script is accepted and returned unchanged', async () => {
    const value = '阿达 👩🏽‍🚀 أدا e\u0301'
    expect((await profile(JSON.stringify({ field: 'nickname', value }))).body['data']).toEqual({ value })
  })
})

describe('a body that is refused', () => {
  const deep = `{"field":"nickname","value":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  it.each([
    ['that is missing', '', 'A JSON object is required as the body.'],
    ['of white space', ' ', 'The body is not JSON: Unexpected end of JSON input.'],
    ['that is cut off', '{"field":', 'The body is not JSON: Unexpected end of JSON input.'],
    ['with single quotes', "{'field':1}", /^The body is not JSON: Expected property name/],
    ['with a comment', `// me\n${ada}`, /^The body is not JSON: Unexpected token/],
    ['with two values', `${ada}${ada}`, /^The body is not JSON: Unexpected non-whitespace/],
    ['that is a form', 'field=nickname&value=Ada', /^The body is not JSON/],
    ['that is a list', '[]', 'The body must be a JSON object.'],
    ['that is null', 'null', 'The body must be a JSON object.'],
    ['that is text', '"Ada"', 'The body must be a JSON object.'],
    ['without a required field', '{"field":"nickname"}', 'value is required.'],
    [
      'with an unknown field',
      ada.replace('{', '{"nick":"x",'),
      'nick is not known in this body: it takes field, value.',
    ],
    ['with a number for text', '{"field":"nickname","value":1}', 'value must be a string, not 1.'],
    ['with null for text', '{"field":"nickname","value":null}', 'value must be a string, not null.'],
    ['with true for text', '{"field":"nickname","value":true}', 'value must be a string, not true.'],
    ['with a list for text', '{"field":"nickname","value":["Ada"]}', 'value must be a string, not an array.'],
    [
      'with a number beyond the range of a double',
      '{"field":"nickname","value":1e999}',
      'value must be a string, not a number out of range.',
    ],
    ['with another constant', '{"field":"email","value":"x"}', 'field must be "nickname", not "email".'],
    ['that is nested very deep', deep, 'The body is nested more than 32 levels deep.'],
    [
      'with __proto__',
      ada.replace('{', '{"__proto__":{},'),
      '__proto__ is not known in this body: it takes field, value.',
    ],
    [
      'with constructor',
      ada.replace('{', '{"constructor":{"prototype":{}},'),
      'constructor is not known in this body: it takes field, value.',
    ],
    ['with a NUL', '{"field":"nickname","value":"\\u0000"}', /NUL character/],
    ['with half a surrogate pair', '{"field":"nickname","value":"\\ud83d"}', /half of a surrogate pair/],
    ['with a NUL in a key', '{"\\u0000":1}', /NUL character/],
    [
      'with a long unknown name',
      ada.replace('{', `{"${'n'.repeat(500)}":1,`),
      `${'n'.repeat(60)}… is not known in this body: it takes field, value.`,
    ],
  ])('400 bad_request with the reason for a body %s', async (_, body, message) => {
    const answer = await profile(body)
    expectError(answer, 'bad_request')
    if (typeof message === 'string') expect(answer.body['message']).toBe(message)
    else expect(answer.body['message']).toMatch(message)
  })

  it('400 bad_request with the start of a long unknown name, also for an operation that takes no fields', async () => {
    const answer = await send(app.url, 'POST', '/v1/dns/zones/example.com/verify', {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ['n'.repeat(500)]: 1 }),
    })
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toBe(`${'n'.repeat(60)}… is not known: this operation takes no fields.`)
  })

  it('400 bad_request for a body that is not UTF-8', async () => {
    for (const bytes of [
      [0x7b, 0xff, 0x7d],
      [0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
    ]) {
      const answer = await profile(Buffer.from(bytes))
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toBe('The body is not UTF-8.')
    }
    expectError(await profile(Buffer.from(ada, 'utf16le')), 'bad_request')
  })

  it('400 bad_request for a compressed body, which says so', async () => {
    const answer = await profile(gzipSync(ada), { 'content-encoding': 'gzip' })
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toBe('Content-Encoding is not supported: send the body without compression.')
  })

  it('400 bad_request for a body larger than one mebibyte, with and without Content-Length', async () => {
    const large = ada + ' '.repeat(1024 * 1024)
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const answer = await send(app.url, 'POST', '/v1/account/profile', {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        body: large,
      })
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toBe('The body must have at most 1048576 bytes.')
    }
    expect((await profile(ada + ' '.repeat(1024 * 1024 - ada.length))).status).toBe(200)
  })

  it('400 bad_request for a body larger than 16 KiB if the operation needs no token or takes no field', async () => {
    for (const [path, body] of [
      ['/console/api/session/sign-in', '{"email":"ada@example.com","password":"x"}'],
      ['/v1/account/sessions/revoke-all', '{}'],
    ] as const) {
      const answer = await send(app.url, 'POST', path, {
        headers: { authorization: `Bearer ${token}`, origin: app.url, 'content-type': 'application/json' },
        body: body + ' '.repeat(16 * 1024 + 1 - body.length),
      })
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toBe('The body must have at most 16384 bytes.')
    }
  })

  it('400 bad_request for a body with more values or levels than any operation takes, in any place', async () => {
    const many = (count: number) => `[${Array(count).fill('{}').join(',')}]`
    for (const body of [many(1000), `{"value":${many(1000)}}`, ada.replace('{', `{"more":${many(1000)},`)])
      expect((await profile(body)).body['message']).toBe('The body has more than 1000 values.')
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    expect((await profile(deep(33))).body['message']).toBe('The body is nested more than 32 levels deep.')
    expect((await profile(deep(32))).body['message']).toBe('field is required.')
  })

  it('a string may contain any number of brackets, commas and escaped quotation marks', async () => {
    for (const value of ['[{,'.repeat(2000), '\\"],['.repeat(2000), '"'.repeat(2000)])
      expect((await profile(JSON.stringify({ field: 'nickname', value }))).body['message']).toMatch(
        /^value must have at most 64 characters/,
      )
  })

  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/vnd.api+json',
    'application/json-patch+json',
    'application/jsonx',
    'application/json, text/plain',
    'json',
    ';',
    '',
  ])('400 bad_request for a body with the media type "%s"', async (type) => {
    const answer = await profile(ada, { 'content-type': type })
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toBe('The body must be JSON, with the header Content-Type: application/json.')
  })
})

describe('integers in a body', () => {
  const revoke = async (id: string) =>
    send(app.url, 'POST', '/v1/account/sessions/revoke', {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: `{"id":${id}}`,
    })

  it.each(['7', '-1', '0', '7.0', '7e2', '9007199254740991'])('accepts %s as an integer', async (id) => {
    expectError(await revoke(id), 'not_found')
  })

  it.each([
    ['"7"', 'id must be an integer, not "7".'],
    ['7.5', 'id must be an integer, not 7.5.'],
    ['true', 'id must be an integer, not true.'],
    ['null', 'id must be an integer, not null.'],
    ['9007199254740993', 'id must be at most 9007199254740991, not 9007199254740992.'],
    ['-1e300', 'id must be at least -9007199254740991, not -1e+300.'],
    ['1e999', 'id must be an integer, not a number out of range.'],
  ])('refuses %s as an integer', async (id, message) => {
    const answer = await revoke(id)
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toBe(message)
  })
})

describe('a query', () => {
  it.each([
    ['value=a+b', 3],
    ['value=%C3%BC', 2],
    ['value=', 0],
    ['value', 0],
    ['value=a&algo=md5', 1],
    ['value=a%00b', 3],
    ['value=a;algo=nope', 11],
    ['&&value=a&&', 1],
    [`value=${'%41'.repeat(8192)}`, 8192],
  ])('a query is accepted: ?%s', async (query, length) => {
    expect((await get(`/v1/public/hash?${query}`)).body['data']).toMatchObject({ length })
  })

  it.each([
    ['', 'value is required.'],
    ['value=a&value=b', 'value may be given only once, not 2 times.'],
    ['value[]=a', 'value is required.'],
    ['value=a&algo=', 'algo must be one of "sha256", "sha512", "sha1", "md5", "crc32b", not "".'],
    ['value=a&algo=SHA256', 'algo must be one of "sha256", "sha512", "sha1", "md5", "crc32b", not "SHA256".'],
    ['value=a&algo=md5&algo=md5', 'algo may be given only once, not 2 times.'],
    [
      `value=a&algo=${'x'.repeat(200)}`,
      `algo must be one of "sha256", "sha512", "sha1", "md5", "crc32b", not "${'x'.repeat(60)}…".`,
    ],
    ['value=a&alg=md5', 'alg is not known in this query: it takes value, algo.'],
    ['value=a&VALUE=b', 'VALUE is not known in this query: it takes value, algo.'],
    ['value=a&unknown=1&unknown=2', 'unknown is not known in this query: it takes value, algo.'],
    ['__proto__=x&value=a', '__proto__ is not known in this query: it takes value, algo.'],
    ['constructor=x&value=a', 'constructor is not known in this query: it takes value, algo.'],
    [`value=a&${'x'.repeat(200)}=1`, `${'x'.repeat(60)}… is not known in this query: it takes value, algo.`],
  ])('a query is refused: ?%s', async (query, message) => {
    const answer = await get(`/v1/public/hash?${query}`)
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toBe(message)
  })

  it.each([
    '0x10',
    '0b1',
    '0o7',
    '1e1',
    '1e999',
    '1.0',
    '1.5',
    '%2B5',
    '-5',
    '%205',
    '5%20',
    '',
    'Infinity',
    'NaN',
    '%D9%A3',
    '1_0',
  ])('a query is refused if an integer has other characters than decimal digits: ?limit=%s', async (limit) => {
    const answer = await get(`/v1/files?limit=${limit}`)
    expectError(answer, 'bad_request')
    const given = JSON.stringify(decodeURIComponent(limit))
    expect(answer.body['message']).toBe(`limit must be an integer in decimal digits, not ${given}.`)
  })

  it.each([
    ['0', 'limit must be at least 1, not 0.'],
    ['1001', 'limit must be at most 1000, not 1001.'],
    ['9'.repeat(400), 'limit must be an integer in decimal digits, not a number out of range.'],
  ])('a query is refused if an integer is out of range: ?limit=%s', async (limit, message) => {
    const answer = await get(`/v1/files?limit=${limit}`)
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toBe(message)
  })

  it.each(['x=1', 'x', '=', 'x=%zz&y=1&y=2', '__proto__=1'])(
    'a query is refused if the operation takes none: ?%s',
    async (query) => {
      const answer = await get(`/v1/public/time?${query}`)
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toMatch(/^\S* is not known in this query: it takes no parameters\.$/)
    },
  )

  it.each(['', '?', '?&&'])('a query may be empty: %j', async (query) => {
    expect((await get(`/v1/public/time${query}`)).status).toBe(200)
  })
})
