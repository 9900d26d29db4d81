import { describe, expect, it } from 'vitest'
import type { DeviceMessage } from './message.js'
import { readMessage } from './read-message.js'

/** Requests as the apps send them. */

const now = Date.UTC(2026, 0, 16, 12)
const sentAt = Date.UTC(2026, 0, 16, 9, 44, 58)

type Headers = Readonly<Record<string, string>>

const json: Headers = { 'content-type': 'application/json; charset=utf-8' }
const form: Headers = { 'content-type': 'application/x-www-form-urlencoded' }
const kannel: Headers = {
  'content-type': 'text/plain; charset="UTF-8"',
  'x-kannel-from': '+4915550100',
  'x-kannel-to': '13013',
  'x-kannel-time': '2026-01-16 09:44:58',
  'x-kannel-smsc': 'FAKE',
}

const read = (headers: Headers, body: string | Buffer | object) => {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return readMessage((name) => headers[name], bytes, now)
}

const plain = { from: '+4915550100', to: null, body: 'Your code is 123456', sim: null, device: null }

const gateway = {
  deviceId: 'ffffffffceb0b1db0000018e937c815b',
  event: 'sms:received',
  id: 'Ey6ECgOkVVFjz3CL48B8C',
  payload: {
    messageId: 'abc123',
    message: 'Android is always a sweet treat!',
    sender: '6505551212',
    recipient: '+16505551313',
    simNumber: 1,
    receivedAt: '2026-01-16T16:44:58.000+07:00',
  },
  webhookId: 'LreFUt-Z3sSq0JufY9uWB',
}

const gatewayMessage = {
  from: '6505551212',
  to: '+16505551313',
  body: 'Android is always a sweet treat!',
  sim: 'SIM1',
  device: 'ffffffffceb0b1db0000018e937c815b',
  receivedAt: sentAt,
}

const accepted: [string, Headers, string | Buffer | object, Partial<DeviceMessage>][] = [
  [
    'the default form of SmsForwarder',
    form,
    'from=%2B4915550100&content=Your+code+is+123456%0A%F0%9F%98%80&timestamp=1768556698000',
    { ...plain, body: 'Your code is 123456\n😀', receivedAt: sentAt },
  ],
  [
    'a JSON template of SmsForwarder with all tags',
    json,
    {
      from: '+4915550100',
      content: 'formatted',
      org_content: 'Your code is 123456',
      timestamp: '1768556699999',
      receive_time: '2026-01-16 09:44:58',
      card_slot: 'SIM2_Carrier',
      device_mark: 'Pixel 8',
      sign: '',
    },
    { ...plain, sim: 'SIM2_Carrier', device: 'Pixel 8', receivedAt: 1768556699999, deviceStamp: '2026-01-16 09:44:58' },
  ],
  [
    'a template with the time of the receipt and its offset',
    json,
    {
      from: '+4915550100',
      msg: 'Your code is 123456',
      receive_time: '2026-01-16 10:44:58+0100',
      timestamp: 1768556699999,
    },
    { ...plain, receivedAt: sentAt, deviceStamp: '2026-01-16 10:44:58+0100' },
  ],
  [
    'a template whose time of the receipt is not a time',
    json,
    { from: '+4915550100', msg: 'Your code is 123456', receive_time: '[receive_time]', timestamp: 1768556698000 },
    { ...plain, receivedAt: sentAt, deviceStamp: '  1768556698000' },
  ],
  [
    'Incoming SMS to URL forwarder',
    json,
    '{\n "from":"+4915550100",\n "text":"Your code is 123456",\n "sentStamp":1768556690000,\n "receivedStamp":1768556698000,\n "sim":"SIM1"\n}',
    { ...plain, sim: 'SIM1', receivedAt: sentAt, deviceStamp: '1768556690000 1768556698000 ' },
  ],
  [
    'its stamps as texts',
    json,
    { from: '+4915550100', text: 'Your code is 123456', sentStamp: '1768556698000', receivedStamp: '', sim: '' },
    { ...plain, receivedAt: sentAt },
  ],
  [
    'its form without stamps',
    json,
    { from: '1234567890', text: 'Test' },
    { from: '1234567890', body: 'Test', receivedAt: undefined, deviceStamp: undefined },
  ],
  [
    'its stamps of a phone whose battery was empty',
    json,
    { from: '1', text: 'Test', sentStamp: 4000, receivedStamp: 9000 },
    { receivedAt: undefined, deviceStamp: '4000 9000 ' },
  ],
  [
    'stamps of an unknown time',
    json,
    { from: '1', text: 'Test', sentStamp: 0, timestamp: '[timestamp]' },
    { receivedAt: undefined, deviceStamp: undefined },
  ],
  ['JSON with the content type of a form', form, { from: '1', text: 'Test' }, { from: '1', body: 'Test' }],
  ['JSON without a content type', {}, '{"from":"1","text":"Test"}', { from: '1', body: 'Test' }],
  ['a form without a content type', {}, 'from=1&content=Test', { from: '1', body: 'Test' }],
  ['an empty text', form, 'from=1&content=', { from: '1', body: '' }],
  ['the last of two equal fields', form, 'from=1&from=2&content=Test', { from: '2' }],
  ['the last of two equal names', json, '{"from":"1","from":"2","text":"Test"}', { from: '2' }],
  ['invalid percent-encoding', form, 'from=%zz&content=%ff%fe', { from: '%zz', body: '\u{fffd}\u{fffd}' }],
  ['sms:received', json, gateway, { ...gatewayMessage, deviceStamp: expect.stringContaining('abc123') as string }],
  [
    'sms:received of older versions',
    json,
    {
      ...gateway,
      payload: { ...gateway.payload, sender: undefined, recipient: null, phoneNumber: '6505551212', simNumber: null },
    },
    { ...gatewayMessage, to: null, sim: null },
  ],
  [
    'sms:received with the clock of a phone whose battery was empty',
    json,
    { ...gateway, payload: { ...gateway.payload, receivedAt: '1970-01-01T00:00:09.000+00:00' } },
    { ...gatewayMessage, receivedAt: undefined, deviceStamp: expect.stringContaining('abc123') as string },
  ],
  [
    'sms:received without an id and a time',
    json,
    { event: 'sms:received', payload: { message: 'Test', sender: '1' } },
    { from: '1', device: null, receivedAt: undefined, deviceStamp: undefined },
  ],
  [
    'Kannel',
    kannel,
    'Your code is 123456',
    { ...plain, to: '13013', device: 'FAKE', receivedAt: sentAt, deviceStamp: '2026-01-16 09:44:58' },
  ],
  [
    'Kannel with a message in UCS-2',
    { ...kannel, 'content-type': 'text/plain; charset="UTF-16BE"' },
    Buffer.from('\0h\u00e4'.normalize('NFC'), 'utf16le').swap16(),
    { body: '\u{fffd}h\u00e4' },
  ],
  [
    'Kannel in Latin-1, without a time',
    { 'content-type': 'text/plain; charset=ISO-8859-1', 'x-kannel-from': '1' },
    Buffer.from('h\u00e4llo', 'latin1'),
    { body: 'h\u00e4llo', receivedAt: undefined, deviceStamp: undefined },
  ],
  [
    'Kannel in windows-1252, with a wrong clock',
    { ...kannel, 'content-type': 'text/plain; charset=windows-1252', 'x-kannel-time': '1999-01-01 00:00:00' },
    Buffer.from([0x80, 0x81, 0x84, 0x99, 0x9f, 0xe4]),
    { body: '€\u0081„™Ÿä', receivedAt: undefined, deviceStamp: '1999-01-01 00:00:00' },
  ],
  ['Kannel without a content type', { 'x-kannel-from': '1' }, 'h\u00e4llo', { body: 'h\u00e4llo' }],
  [
    'NUL and half of a surrogate pair',
    json,
    '{"from":"a\\u0000","text":"b\\ud83d\\u0000"}',
    { from: 'a\u{fffd}', body: 'b\u{fffd}\u{fffd}' },
  ],
  [
    'long names',
    json,
    { from: 'x'.repeat(300), text: '', sim: 'y'.repeat(300) },
    { from: 'x'.repeat(256), sim: 'y'.repeat(256) },
  ],
  [
    'a name that is cut in a surrogate pair',
    json,
    { from: `${'x'.repeat(255)}😀`, text: '' },
    { from: `${'x'.repeat(255)}\u{fffd}` },
  ],
  ['the longest text', json, { from: '1', text: 'x'.repeat(40_000) }, { body: 'x'.repeat(40_000) }],
  ['names of Object.prototype', json, '{"__proto__":{"from":"1"},"from":"2","text":"Test"}', { from: '2' }],
]

describe('accepted', () => {
  it.each(accepted)('accepts %s', (_, headers, body, expected) => {
    expect(read(headers, body).message).toMatchObject(expected)
  })
})

const known = /^The body has an unknown format\. Accepted: .*SmsForwarder.*Gateway.*URL forwarder.*X-Kannel-From/

const refused: [string, Headers, string | Buffer | object, RegExp][] = [
  ['an empty body', json, '', /^The body is not JSON/],
  ['an empty form', form, '', known],
  ['a list', json, '[]', known],
  ['null', json, 'null', known],
  ['a form without a text', form, 'from=1', known],
  ['JSON without a sender', json, { text: 'Test' }, known],
  ['an object as text', json, { from: '1', text: {} }, known],
  ['another media type', { 'content-type': 'text/plain' }, 'Test', known],
  ['an event of another system', json, { event: 'push', payload: {} }, known],
  ['an event that is not a text', json, { event: 7 }, known],
  ['sms:received without a payload', json, { event: 'sms:received' }, /^payload must be an object/],
  [
    'sms:received without a sender',
    json,
    { event: 'sms:received', payload: { message: '' } },
    /^payload must have a sender/,
  ],
  [
    'sms:received without a message',
    json,
    { event: 'sms:received', payload: { sender: '1' } },
    /^payload\.message must be a string/,
  ],
  [
    'a text that is too long',
    json,
    { from: '1', text: 'x'.repeat(40_001) },
    /^The text must have at most 40000 characters, not 40001/,
  ],
  ['deep JSON', json, '{"from":'.repeat(40) + '1' + '}'.repeat(40), /nested more than 32 levels/],
  ['many values', json, `{"from":"1","text":"","x":[${'0,'.repeat(2000)}0]}`, /more than 1000 values/],
  ['many fields', form, 'from=1&content=Test' + '&x'.repeat(100), /^The form must have at most 100 fields/],
  ['JSON in Latin-1', json, Buffer.from('{"from":"1","text":"h\u00e4"}', 'latin1'), /^The body is not UTF-8/],
  ['a form in Latin-1', form, Buffer.from('from=1&content=h\u00e4', 'latin1'), /^The body is not UTF-8/],
  ['gzip', json, Buffer.from('1f8b0800000000000003', 'hex'), /^The body is not UTF-8/],
  [
    'a binary message of Kannel',
    { ...kannel, 'content-type': 'application/octet-stream' },
    'x',
    /^Content-Type must be text\/plain/,
  ],
  [
    'an unknown charset',
    { ...kannel, 'content-type': 'text/plain; charset=klingon' },
    'x',
    /^Content-Type has the unknown charset "klingon"/,
  ],
]

describe('refused', () => {
  it.each(refused)('refuses %s', (_, headers, body, message) => {
    expect(() => read(headers, body)).toThrow(message)
  })
})

describe('answered without a message', () => {
  it.each(['system:ping', 'sms:sent', 'sms:data-received', 'sms:batch:received', 'mms:downloaded', 'app:started'])(
    'the event %s has no message',
    (event) => {
      expect(read(json, { ...gateway, event, payload: {} }).message).toBeUndefined()
    },
  )
})

describe('times of devices', () => {
  it.each([
    ['1999-12-31T23:59:59Z', undefined],
    ['2000-01-01T00:00:00Z', Date.UTC(2000, 0, 1)],
    ['2026-01-17T12:00:00Z', now + 86_400_000],
    ['2026-01-17T12:00:01Z', undefined],
    ['2026-13-45T99:00:00Z', undefined],
    ['2026-01-16T09:44:58', undefined],
    ['2026-01-16T09:44:58.123456789-0030', Date.UTC(2026, 0, 16, 10, 14, 58, 123)],
    ['yesterday', undefined],
  ])('the time %s of a device is read as %s', (receivedAt, expected) => {
    const { message } = read(json, { ...gateway, payload: { ...gateway.payload, receivedAt } })
    expect(message?.receivedAt).toBe(expected)
  })

  it.each([
    ['946684799999', undefined],
    [String(now + 86_400_000), now + 86_400_000],
    [String(now + 86_400_001), undefined],
    ['-1', undefined],
    ['1e12', undefined],
    ['9'.repeat(400), undefined],
  ])('the stamp %s is read as %s', (timestamp, expected) => {
    expect(read(form, `from=1&content=Test&timestamp=${timestamp}`).message?.receivedAt).toBe(expected)
  })
})

it('returns the signature of SmsForwarder', () => {
  expect(read(form, 'from=1&content=Test&timestamp=17&sign=a%252Fb').formSignature).toEqual({
    timestamp: '17',
    sign: 'a%2Fb',
  })
})
