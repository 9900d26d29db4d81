import { expect, it } from 'vitest'
import { isSigned, type FormSignature } from './signature.js'

/** The signatures are computed with OpenSSL: `printf '%s' '{"from":"1"}1768556698' | openssl dgst -sha256 -hmac k8Yz2QpW`. */

const key = 'k8Yz2QpW'
const body = Buffer.from('{"from":"1"}')
const overBodyAndTime = '89a3e35449bf2c781fa71bd584e44403a3b6d87c740e534562a3c15ff502f4fb'
const overBody = '382589985c4709f5de9d90e17648b257ca7aca3ef6e173833f2dd6620bccd88d'
const overTime = '4o0m2wU/Ryo10fevAWzOMHpvuO5jUKKe+oxxzSq8nAA='
const time = '1768556698'
const sign = (given: string, timestamp = `${time}000`): FormSignature => ({ timestamp, sign: given })

const rows: [string, boolean, Readonly<Record<string, string>>, FormSignature | undefined][] = [
  ['body and X-Timestamp', true, { 'x-signature': overBodyAndTime, 'x-timestamp': time }, undefined],
  ['the same in upper case', true, { 'x-signature': overBodyAndTime.toUpperCase(), 'x-timestamp': time }, undefined],
  ['the body alone', true, { 'x-signature': overBody }, undefined],
  ['body and another X-Timestamp', false, { 'x-signature': overBodyAndTime, 'x-timestamp': '1768556699' }, undefined],
  ['body and X-Timestamp without the header', false, { 'x-signature': overBodyAndTime }, undefined],
  ['a shortened signature', false, { 'x-signature': overBody.slice(1) }, undefined],
  ['an empty signature', false, { 'x-signature': '' }, undefined],
  ['the encoded sign of SmsForwarder', true, {}, sign(encodeURIComponent(overTime))],
  ['its sign without encoding', true, {}, sign(overTime)],
  ['its sign with another timestamp', false, {}, sign(overTime, '1768556698001')],
  ['an empty sign', false, {}, sign('')],
  ['a valid sign beside an invalid header', false, { 'x-signature': 'x' }, sign(overTime)],
  ['no signature', false, {}, undefined],
]

it.each(rows)('a message is signed by %s: %s', (_, expected, headers, formSignature) => {
  expect(isSigned(key, { header: (name) => headers[name], body, formSignature })).toBe(expected)
})

it('a signature is not valid for another body or another key', () => {
  const header = (name: string) => (name === 'x-signature' ? overBody : undefined)
  expect(isSigned(key, { header, body: Buffer.from('{"from":"2"}'), formSignature: undefined })).toBe(false)
  expect(isSigned('k8Yz2QpX', { header, body, formSignature: undefined })).toBe(false)
})
