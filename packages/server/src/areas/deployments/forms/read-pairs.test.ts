import { describe, expect, it } from 'vitest'
import { formOf, formType, fieldPart, filePart } from '../../../../test/byte-forms.js'
import { toSubmission } from './fields.js'
import { readPairs } from './read-pairs.js'

const urlencoded = 'application/x-www-form-urlencoded'
const read = async (type: string | undefined, body: string | Buffer) => readPairs(type, Buffer.from(body))

describe('urlencoded', () => {
  it.each<[string, [string, string][]]>([
    [
      'a=1&b=two+words&a=%C3%BC',
      [
        ['a', '1'],
        ['b', 'two words'],
        ['a', 'ü'],
      ],
    ],
    ['', []],
    ['a', [['a', '']]],
    [
      'a=%zz&b=%ff',
      [
        ['a', '%zz'],
        ['b', '\uFFFD'],
      ],
    ],
    ['a=1=2', [['a', '1=2']]],
  ])('reads the pairs of %s', async (body, pairs) => {
    for (const type of [urlencoded, `${urlencoded.toUpperCase()}; charset=utf-8`, undefined])
      expect(await read(type, body)).toEqual(pairs)
  })
})

it.each(['a=1&'.repeat(1_000), '&'.repeat(100_000), '=&'.repeat(60_000)])('400 for many pairs: %.9s', async (body) => {
  await expect(read(urlencoded, body)).rejects.toThrow('The form has more than 100 values.')
})

describe('multipart', () => {
  const emptyFile =
    'Content-Disposition: form-data; name="f"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n'

  it('a form has fields, and file inputs that were left empty', async () => {
    const form = formOf(fieldPart('a', '1'), emptyFile, fieldPart('ü', 'grüße'), fieldPart('a', '2'))
    expect(await read(formType, form)).toEqual([
      ['a', '1'],
      ['ü', 'grüße'],
      ['a', '2'],
    ])
  })

  it('400 for a form with a file', async () => {
    for (const content of ['', 'hello'])
      await expect(read(formType, formOf(fieldPart('a', '1'), filePart(Buffer.from(content))))).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining('is a file: forms accept text only') as unknown,
      })
    const cut = formOf(filePart(Buffer.alloc(100))).subarray(0, -50)
    await expect(read(formType, cut)).rejects.toThrow('The field "content" is a file')
    const unnamed = `${emptyFile}hello`
    await expect(read(formType, formOf(unnamed))).rejects.toThrow('The field "f" is a file')
  })

  const whole = formOf(fieldPart('a', '1'), fieldPart('b', '2'))
  it.each<[string, string, Buffer | string]>([
    ['without a boundary', 'multipart/form-data', whole],
    ['that is empty', formType, ''],
    ['that is cut', formType, whole.subarray(0, -6)],
    ['that is cut in a header', formType, whole.subarray(0, 60)],
    ['with another boundary', 'multipart/form-data; boundary=other', whole],
    ['of dashes', formType, '-'.repeat(100_000)],
  ])('400 for a form %s', async (_, type, body) => {
    await expect(read(type, body)).rejects.toMatchObject({
      code: 'bad_request',
      message: 'The body is not a complete form of the type multipart/form-data (RFC 7578).',
    })
  })

  it('400 for a form with more than 100 fields', async () => {
    const many = formOf(...Array.from({ length: 1_000 }, () => fieldPart('a', '1')))
    await expect(read(formType, many)).rejects.toThrow('The form has more than 100 values.')
  })
})

describe('JSON', () => {
  it('JSON has texts, numbers, true and false, and lists of them', async () => {
    const body = JSON.stringify({ a: 'x', b: 1.5, c: true, d: ['y', 2, false], e: [], ['__proto__']: 'z' })
    expect(await read('application/json; charset=utf-8', body)).toEqual([
      ...[
        ['a', 'x'],
        ['b', '1.5'],
        ['c', 'true'],
      ],
      ...[
        ['d', 'y'],
        ['d', '2'],
        ['d', 'false'],
      ],
      ['__proto__', 'z'],
    ])
  })

  it.each([
    ['', 'The body is not JSON'],
    ['{', 'The body is not JSON'],
    ['null', 'The body must be a JSON object'],
    ['[]', 'The body must be a JSON object'],
    ['"text"', 'The body must be a JSON object'],
    ['{"a":null}', 'The field "a" must be a text'],
    ['{"a":{"b":1}}', 'The field "a" must be a text'],
    ['{"a":[[1]]}', 'The field "a" must be a text'],
    ['['.repeat(60_000), 'The body is nested more than 32 levels deep'],
    [`{"a":${'['.repeat(60_000)}${']'.repeat(60_000)}}`, 'The body is nested more than 32 levels deep'],
    [`{"a":[${'1,'.repeat(60_000)}1]}`, 'The body has more than 1000 values'],
  ])('400 for the JSON %.20s', async (body, message) => {
    await expect(read('application/json', body)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(message) as unknown,
    })
  })
})

it.each(['text/plain', 'application/xml', '', 'x'])('415 for the type "%s"', async (type) => {
  await expect(read(type, 'a=1')).rejects.toMatchObject({ status: 415 })
})

describe('a submission', () => {
  it('a submission has fields, lists of repeated ones, and its special fields apart', () => {
    const pairs = [
      ['a', '1'],
      ['_subject', 'Hello'],
      ['b', '2'],
      ['a', '3'],
      ['a', '4'],
      ['_next', '/x'],
    ] as const
    expect(toSubmission(pairs)).toEqual({
      fields: { a: ['1', '3', '4'], b: '2' },
      subject: 'Hello',
      next: '/x',
      isSpam: false,
    })
  })

  it('keeps fields with the names of properties of objects', () => {
    const names = ['__proto__', 'constructor', 'toString']
    const { fields } = toSubmission(names.map((name) => [name, 'x'] as const))
    expect(JSON.stringify(fields)).toBe('{"__proto__":"x","constructor":"x","toString":"x"}')
  })

  it.each([
    ['', false],
    [' ', true],
    ['http://spam.example', true],
  ])('a submission with _gotcha "%s" is spam: %s', (value, isSpam) => {
    expect(toSubmission([['_gotcha', value]]).isSpam).toBe(isSpam)
  })

  it.each<[string, [string, string][], string]>([
    ['too many values', Array.from({ length: 101 }, () => ['a', '1']), 'The form has more than 100 values.'],
    ['a field without a name', [['', '1']], 'The form has a field without a name.'],
    ['a long name', [['a'.repeat(201), '1']], 'must have at most 200 characters'],
    ['a NUL', [['a', 'x\0']], 'The field "a" must not contain a NUL'],
    ['a NUL in a name', [['a\0', 'x']], 'must not contain a NUL'],
    ['half a surrogate pair', [['a', 'x\ud800']], 'half of a surrogate pair'],
  ])('400 for a submission with %s', (_, pairs, message) => {
    expect(() => toSubmission(pairs)).toThrow(message)
  })
})
