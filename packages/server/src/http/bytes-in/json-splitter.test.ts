import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract'
import { endOfFile } from './byte-body.js'
import { JsonSplitter } from './json-splitter.js'

/** Splits a text that arrives in chunks of the given lengths; the last one repeats. */
function split(json: string | Buffer, lengths: readonly number[] = [Infinity], maxRest = 65_536) {
  const bytes = Buffer.from(json)
  const splitter = new JsonSplitter({ field: 'content' }, maxRest)
  const text: Buffer[] = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths[Math.min(i, lengths.length - 1)] as number
    text.push(Buffer.concat(splitter.push(bytes.subarray(at, at + length))))
    at += length
  }
  return { text: Buffer.concat(text).toString('latin1'), rest: splitter.rest.toString() }
}

/** Any spelling of a text in JSON: some characters as \uXXXX, slashes as PHP writes them. */
const spelled = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.array(fc.boolean(), { minLength: 1, maxLength: 20 })).map(([value, escaped]) => ({
    value,
    json: `"${Array.from(value)
      .map((character, i) => {
        if (escaped[i % escaped.length] !== true) return JSON.stringify(character).slice(1, -1)
        return character === '/' ? '\\/' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
      })
      .join('')}"`,
  }))

const ascii = fc.string({ unit: fc.integer({ min: 1, max: 0x7f }).map((code) => String.fromCharCode(code)) })
const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })
const space = fc.constantFrom('', ' ', '\n', '\t \r\n')

it('agrees with JSON.parse for any object, spelling and chunks', () => {
  const others = fc.dictionary(
    fc.string({ unit: 'grapheme' }).filter((key) => key !== 'content'),
    fc.jsonValue(),
    { maxKeys: 4 },
  )
  fc.assert(
    fc.property(
      others,
      others,
      spelled(ascii),
      spelled(fc.constant('content')),
      space,
      lengths,
      (before, after, text, key, gap, sizes) => {
        const members = (value: object) => JSON.stringify(value).slice(1, -1)
        const parts = [members(before), `${key.json}${gap}:${gap}${text.json}`, members(after)].filter(
          (part) => part !== '',
        )
        const json = `${gap}{${gap}${parts.join(`${gap},${gap}`)}${gap}}`
        const whole = JSON.parse(json) as Record<string, unknown>
        const { text: found, rest } = split(json, sizes)
        expect(found).toBe(whole['content'])
        expect(JSON.parse(rest)).toEqual({ ...whole, content: '' })
      },
    ),
    { numRuns: 500 },
  )
})

it('does not change JSON without the field', () => {
  fc.assert(
    fc.property(fc.jsonValue(), lengths, (value, sizes) => {
      fc.pre(!(typeof value === 'object' && value !== null && Object.hasOwn(value, 'content')))
      const json = JSON.stringify(value)
      expect(split(json, sizes)).toEqual({ text: '', rest: json })
    }),
  )
})

it.each([
  ['a nested field of the name', '{"a":{"content":"x"},"b":[{"content":"y"}]}'],
  ['a value of the name', '{"a":"content","b":"x"}'],
  ['another type', '{"content":12,"a":["content"]}'],
  ['a list with the name', '["content","x"]'],
  ['a text without an object', '"content"'],
  ['a list under the name', '{"content":[ "x"]}'],
])('takes no text from %s', (_, json) => {
  expect(split(json, [1])).toEqual({ text: '', rest: json })
})

it('accepts what JSON.parse accepts: texts of any tokens', () => {
  const tokens = ['{', '}', '[', ']', ',', ':', '"content"', '"content":"eA=="', '"a"', '"eA=="', '1', ' ', '\\', '"']
  const parse = (json: string): unknown => {
    try {
      return JSON.parse(json)
    } catch {
      return undefined
    }
  }
  /** Undefined for a text that the splitter or the parser of the rest refuses. */
  const splitAndParse = (json: string, sizes: readonly number[]): unknown => {
    try {
      return parse(split(json, sizes).rest)
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError)
      return undefined
    }
  }
  const tokenLists = fc.array(fc.constantFrom(...tokens), { maxLength: 8 })
  const wrapped = tokenLists.map((list) => (list.length % 2 === 0 ? `{${list.join('')}}` : list.join('')))
  fc.assert(
    fc.property(wrapped, lengths, (json, sizes) => {
      fc.pre(json.split('"content"').length <= 2)
      const whole = parse(json)
      if (whole === undefined) {
        expect(splitAndParse(json, sizes)).toBeUndefined()
        return
      }
      const { text, rest } = split(json, sizes)
      const isText =
        typeof whole === 'object' && whole !== null && typeof (whole as { content?: unknown }).content === 'string'
      expect(parse(rest)).toEqual(isText ? { ...whole, content: '' } : whole)
      expect(text).toBe(isText ? (whole as { content: string }).content : '')
    }),
    { numRuns: 5_000 },
  )
})

describe('refuses', () => {
  const refused = (json: string, lengths?: readonly number[], maxRest?: number) => {
    try {
      split(json, lengths, maxRest)
    } catch (error) {
      return (error as ApiError).message
    }
    return undefined
  }

  it.each([
    '{"content":"eA==","content":"eA=="}',
    '{"content":1,"\\u0063ontent":2}',
    '{"content":"","a":1,"content":{}}',
  ])('refuses two fields of the name: %s', (json) => {
    expect(refused(json, [1])).toBe('content may be given only once.')
  })

  it.each(['{"content":"\\x"', '{"content":"\\u12g4"', '{"content":"\\u 123"'])('refuses the escape in %s', (json) => {
    expect(refused(json, [1])).toBe('content has an escape that JSON does not have (RFC 8259, section 7).')
  })

  it('refuses a rest that is too long, but no text', () => {
    expect(split(`{"content":"${'x'.repeat(1_000)}"}`, [7], 14).rest).toBe('{"content":""}')
    expect(refused(`{"content":"${'x'.repeat(1_000)}" }`, [7], 14)).toBe(
      'The body has more than 14 bytes besides content.',
    )
  })
})

it('takes 64 KiB of escapes in less than 20 ms', () => {
  const splitter = new JsonSplitter({ field: 'content' }, 65_536)
  splitter.push(Buffer.from('{"content":"'))
  const chunk = Buffer.from('\\/'.repeat(32_768))
  // Of many, because the other load of the machine delays some.
  const times = Array.from({ length: 20 }, () => {
    const from = performance.now()
    expect(Buffer.concat(splitter.push(chunk))).toHaveLength(32_768)
    return performance.now() - from
  })
  expect(Math.min(...times)).toBeLessThan(20)
})

it('gives the fields before the text as soon as the text begins', () => {
  const splitter = new JsonSplitter({ field: 'content' }, 65_536)
  splitter.push(Buffer.from('{"a":{"content":"b"},"c":[1],"content"'))
  expect(splitter.before).toBeUndefined()
  splitter.push(Buffer.from(' :"'))
  expect(JSON.parse(String(splitter.before))).toEqual({ a: { content: 'b' }, c: [1], content: '' })
  splitter.push(Buffer.from('text","d":2}'))
  expect(JSON.parse(String(splitter.before))).toEqual({ a: { content: 'b' }, c: [1], content: '' })
})

describe('a list of texts', () => {
  const names = { field: 'files', each: { name: 'name', content: 'content' } }

  /** The texts of the entries, and the object without them. */
  function splitList(json: string, lengths: readonly number[]) {
    const bytes = Buffer.from(json)
    const splitter = new JsonSplitter(names, 65_536)
    const texts: string[] = []
    let text = ''
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const length = lengths[i % lengths.length] as number
      for (const piece of splitter.push(bytes.subarray(at, at + length)))
        if (piece === endOfFile) {
          texts.push(text)
          text = ''
        } else text += piece.toString('latin1')
      at += length
    }
    return { texts, rest: JSON.parse(splitter.rest.toString()) as unknown, before: splitter.before }
  }

  it('agrees with JSON.parse for any entries, spelling and chunks', () => {
    const entry = fc
      .tuple(
        fc.dictionary(fc.constantFrom('name', 'a', 'files', '"}'), fc.jsonValue()),
        spelled(ascii),
        fc.boolean(),
        space,
      )
      .map(([rest, text, isFirst, gap]) => {
        const members = JSON.stringify(rest).slice(1, -1)
        const content = `"content"${gap}:${gap}${text.json}`
        const parts = (isFirst ? [content, members] : [members, content]).filter((part) => part !== '')
        return { json: `${gap}{${parts.join(`${gap},`)}${gap}}`, value: text.value, rest }
      })
    const others = fc.dictionary(
      fc.string({ unit: 'grapheme' }).filter((key) => key !== 'files'),
      fc.jsonValue(),
      { maxKeys: 3 },
    )
    fc.assert(
      fc.property(
        others,
        fc.array(entry, { maxLength: 5 }),
        others,
        space,
        lengths,
        (before, entries, after, gap, sizes) => {
          const members = (value: object) => JSON.stringify(value).slice(1, -1)
          const list = `"files"${gap}:${gap}[${entries.map(({ json }) => json).join(',')}${gap}]`
          const json = `{${[members(before), list, members(after)].filter((part) => part !== '').join(`${gap},${gap}`)}}`
          const { texts, rest } = splitList(json, sizes)
          expect(texts).toEqual(entries.map(({ value }) => value))
          const emptied = (JSON.parse(json) as { files: object[] }).files.map((each) => ({ ...each, content: '' }))
          expect(rest).toEqual({ ...(JSON.parse(json) as object), files: emptied })
        },
      ),
      { numRuns: 500 },
    )
  })

  it.each([
    ['a nested list', '{"a":{"files":[{"content":"x"}]}}'],
    ['a list in the list', '{"files":[[{"content":"x"}]]}'],
    ['an object instead of the list', '{"files":{"a":{"content":"x"}}}'],
    ['a nested object of an entry', '{"files":[{"a":{"content":"x"}}]}'],
    ['a text instead of an entry', '{"files":["content","x"]}'],
    ['another list after it', '{"files":[],"a":[{"content":"x"}]}'],
    ['a text instead of the list', '{"files":"x","content":"x"}'],
  ])('takes no text from %s', (_, json) => {
    expect(splitList(json, [1])).toMatchObject({ texts: [], rest: JSON.parse(json) })
  })

  it.each([
    ['{"files":[{"content":"","content":""}]}', 'content of files may be given only once.'],
    ['{"files":[],"files":[]}', 'files may be given only once.'],
  ])('refuses %s', (json, message) => {
    expect(() => splitList(json, [1])).toThrow(message)
  })

  it('gives the fields before the first text, also while later texts arrive', () => {
    const { before } = splitList('{"a":1,"files":[{"name":"x","content":"y"},{"name":"z","content":"y"}],"b":2}', [7])
    expect(JSON.parse(String(before))).toEqual({ a: 1, files: [{ name: 'x', content: '' }] })
  })
})
