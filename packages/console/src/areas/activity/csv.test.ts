import { expect, it } from 'vitest'
import { csvHead, csvLines } from './csv.js'
import type { AccountEvent } from './queries.js'

const event: AccountEvent = {
  id: 1,
  at: '2026-11-20T09:30:00.000Z',
  area: 'dns',
  action: 'zone_change',
  object: 'example.com',
  actor: { kind: 'token', name: 'deploy', id: 7 },
  network: '192.0.2.0/24',
  request_id: 'req_1',
  before: null,
  after: null,
}

it('has a byte order mark, and a first line that ends with CRLF', () => {
  expect(csvHead).toBe(
    '\uFEFFat,event,area,action,object,actor_kind,actor_name,token_id,network,request_id,serial,before,after\r\n',
  )
})

it('has a line for each event', () => {
  expect(
    csvLines([
      { ...event, serial: 12 },
      { ...event, network: null, request_id: null },
    ]),
  ).toBe(
    '2026-11-20T09:30:00.000Z,API key deploy changed the zone example.com,dns,zone_change,example.com,token,deploy,7,192.0.2.0/24,req_1,12,,\r\n' +
      '2026-11-20T09:30:00.000Z,API key deploy changed the zone example.com,dns,zone_change,example.com,token,deploy,7,,,,,\r\n',
  )
})

it('quotes the fields before and after, which are JSON', () => {
  const line = csvLines([{ ...event, before: { name: 'a' }, after: { name: 'b "c"' } }])
  expect(line).toContain(String.raw`,"{""name"":""a""}","{""name"":""b \""c\""""}"` + '\r\n')
})

it.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['a\nb', '"a\nb"'],
  ['a\rb', '"a\rb"'],
  ['café 🙂', 'café 🙂'],
])('writes the name %j as %j', (object, cell) => {
  expect(csvLines([{ ...event, object }])).toContain(`,dns,zone_change,${cell},token,`)
})
