import { afterEach, describe, expect, it, vi } from 'vitest'
import { evaluateConditions, isRangeCurrent, lastModifiedHeader, type Outcome } from './conditions.js'

const etag = '"abc"'
const content = { etag, lastModified: Date.parse('2026-11-20T09:30:00.700Z') }
const earlierDate = 'Fri, 20 Nov 2026 09:30:00 GMT'
/** The second after the change. */
const date = 'Fri, 20 Nov 2026 09:30:01 GMT'
const laterDate = 'Fri, 20 Nov 2026 09:30:02 GMT'

afterEach(() => vi.useRealTimers())
const at = (time: string) => vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(time) })

describe('conditions are evaluated in the order of RFC 9110, section 13.2.2', () => {
  it.each<[string, Record<string, string>, Outcome]>([
    ['the entity tag', { 'if-match': etag }, 'send'],
    ['the entity tag in a list', { 'if-match': `"x", W/"y",${etag}` }, 'send'],
    ['any version', { 'if-match': '*' }, 'send'],
    ['the entity tag as weak', { 'if-match': `W/${etag}` }, 'failed'],
    ['another entity tag', { 'if-match': '"abcd"' }, 'failed'],
    ['no entity tag', { 'if-match': 'abc' }, 'failed'],
    ['another entity tag and a range', { 'if-match': '"x"', range: 'bytes=0-5' }, 'failed'],
    ['the entity tag and a range', { 'if-match': etag, range: 'bytes=0-5' }, 'send'],
    ['another entity tag, before If-None-Match', { 'if-match': '"x"', 'if-none-match': etag }, 'failed'],
    ['the entity tag, then If-None-Match', { 'if-match': etag, 'if-none-match': etag }, 'unmodified'],
    ['another entity tag, before the date', { 'if-match': '"x"', 'if-unmodified-since': laterDate }, 'failed'],
    ['the entity tag, instead of the date', { 'if-match': etag, 'if-unmodified-since': earlierDate }, 'send'],
    ['the date', { 'if-unmodified-since': date }, 'send'],
    ['an earlier date', { 'if-unmodified-since': earlierDate }, 'failed'],
    ['an earlier date and a range', { 'if-unmodified-since': earlierDate, range: 'bytes=0-5' }, 'failed'],
    ['no date', { 'if-unmodified-since': 'yesterday' }, 'send'],
    ['none of a weak entity tag, in a list', { 'if-none-match': `"x", W/${etag}` }, 'unmodified'],
    ['none of any', { 'if-none-match': '*' }, 'unmodified'],
    ['none of another entity tag', { 'if-none-match': '"abcd"' }, 'send'],
    ['modified since the date', { 'if-modified-since': date }, 'unmodified'],
    ['modified since a later date', { 'if-modified-since': laterDate }, 'unmodified'],
    ['modified since an earlier date', { 'if-modified-since': earlierDate }, 'send'],
    ['modified since no date', { 'if-modified-since': 'yesterday' }, 'send'],
    [
      'none of another entity tag, which counts before the date',
      { 'if-none-match': '"x"', 'if-modified-since': date },
      'send',
    ],
  ])('the outcome of a condition with %s is $2', (_, headers, outcome) => {
    expect(evaluateConditions(headers, content)).toBe(outcome)
    // A condition does not apply to an error page.
    expect(evaluateConditions(headers, { ...content, status: 404 })).toBe('send')
  })

  it('a date is ignored for content without one', () => {
    const undated = { etag, lastModified: undefined }
    expect(evaluateConditions({ 'if-unmodified-since': earlierDate }, undated)).toBe('send')
    expect(evaluateConditions({ 'if-modified-since': laterDate }, undated)).toBe('send')
  })
})

it.each([
  ['the entity tag', etag, true],
  ['it as weak', `W/${etag}`, false],
  ['another entity tag', '"x"', false],
  ['the date', date, true],
  ['a later date', laterDate, false],
])('If-Range with %s applies the range: $2', (_, condition, isCurrent) => {
  expect(isRangeCurrent({ 'if-range': condition }, content)).toBe(isCurrent)
})

describe('Last-Modified', () => {
  it('Last-Modified is left out in the second of the change, when another change could follow', () => {
    at('2026-11-20T09:30:00.950Z')
    expect(lastModifiedHeader(content)).toEqual({})
    expect(evaluateConditions({ 'if-modified-since': laterDate }, content)).toBe('send')
    expect(evaluateConditions({ 'if-unmodified-since': earlierDate }, content)).toBe('failed')
    at('2026-11-20T09:30:01.000Z')
    expect(lastModifiedHeader(content)).toEqual({ 'last-modified': date })
  })

  it('of a date in the second of the change, the changed content is sent', () => {
    expect(evaluateConditions({ 'if-modified-since': earlierDate }, content)).toBe('send')
    expect(evaluateConditions({ 'if-modified-since': date }, content)).toBe('unmodified')
  })
})
