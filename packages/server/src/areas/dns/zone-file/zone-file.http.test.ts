import { zoneFileMaxLength } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { ask } from '../../../../test/dns-ask.js'
import type { Browser } from '../../../../test/site.js'
import { dataOf, startZoneSite, type ZoneSite } from '../../../../test/zone-site.js'

/** Zone files: export, preview and import, in the console and with a token. */

const zone = 'files.example'
const path = `/dns/zones/${zone}/zone-file`

describe.each(databaseKinds)('zone files on %s', (kind) => {
  let zones: ZoneSite
  let ada: Browser
  beforeAll(async () => {
    zones = await startZoneSite(kind)
    ada = await zones.site.browser('ada@example.com')
    dataOf(await zones.claim('ada', zone))
    await zones.call('ada', 'POST', `/${zone}/records`, { type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 })
    await zones.call('ada', 'POST', `/${zone}/records`, { type: 'A', host: 'old', value: '192.0.2.9', ttl: 300 })
  })
  afterAll(() => zones.stop())

  const preview = (text: string, replace?: boolean) =>
    ada.call('POST', `${path}/preview`, { body: { text, ...(replace !== undefined && { replace }) } })
  const importing = (text: string) => ada.call('POST', `${path}/import`, { body: { text } })
  const records = async () =>
    dataOf(await zones.call('ada', 'GET', `/${zone}/records`))['records'] as { host: string; value: string }[]

  it('previews created, changed, unchanged and deleted records and skipped lines, and changes nothing', async () => {
    const text = [
      '$TTL 300',
      '@ SOA ns1.old.example. admin.old.example. 1 2 3 4 5',
      'www 600 A 192.0.2.1',
      'old A 192.0.2.9',
      'mail MX 10 mx',
    ].join('\n')
    expect(dataOf(await preview(text))).toEqual({
      created: 1,
      ttl_changed: 1,
      deleted: 0,
      unchanged: 1,
      problems: [],
      changes: [
        { change: 'created', type: 'MX', host: 'mail', value: `mx.${zone}`, ttl: 300, priority: 10, line: 5 },
        { change: 'ttl_changed', type: 'A', host: 'www', value: '192.0.2.1', ttl: 600, priority: null, line: 3 },
      ],
      notes: [{ line: 2, text: "the SOA record is the platform's own: skipped" }],
    })
    expect(dataOf(await preview('www 300 A 192.0.2.1', true))).toMatchObject({
      created: 0,
      ttl_changed: 0,
      deleted: 1,
      unchanged: 1,
      changes: [{ change: 'deleted', host: 'old', line: null }],
    })
    expect(await records()).toHaveLength(2)
  })

  it.each([
    [
      'an invalid line',
      'ok A 192.0.2.2\nbad A 300.0.0.1',
      { line: 2, text: expect.stringContaining('IPv4') as string },
    ],
    ['a conflict', 'www CNAME ok', { line: 1, text: expect.stringContaining('CNAME') as string }],
  ])('reports %s in a preview, and imports nothing', async (_, text, problem) => {
    expect(dataOf(await preview(text))).toMatchObject({ created: 0, changes: [], problems: [problem] })
    const refused = await importing(text)
    expect(refused.status).toBe(400)
    expect(refused.body['message']).toContain(`line ${problem.line}: `)
    expect(await records()).toHaveLength(2)
  })

  it.each([
    ['without records', '; nothing\n', /^text has no records for files\.example\.$/],
    ['that is too long', ';'.repeat(zoneFileMaxLength + 1), /^text must have at most 800000 characters, not 800001/],
  ])('refuses a file %s', async (_, text, message) => {
    for (const refused of [await preview(text), await importing(text)]) {
      expect(refused.status).toBe(400)
      expect(refused.body['message']).toMatch(message)
    }
  })

  it('refuses a preview of more records than a zone may hold', async () => {
    const many = Array.from({ length: 100 }, (_, i) => `h${i} A 192.0.2.1`).join('\n')
    expect((await preview(many)).body['message']).toMatch(/^The zone would have 102 records; the limit is 100/)
  })

  it('imports all records, which the next DNS query sees, and exports them', async () => {
    const answer = await importing('new 300 A 192.0.2.3\nwww 600 A 192.0.2.1\ntext 300 TXT "a" "b"')
    expect(dataOf(answer)).toEqual({ created: 2, ttl_changed: 1, deleted: 0, serial: expect.any(Number) as number })
    expect(await ask(zones.site.dnsPort, `new.${zone}`, 'A')).toMatchObject({ answers: [{ value: '192.0.2.3' }] })
    const file = await ada.call('GET', path)
    expect(file.headers.get('content-type')).toBe('text/dns; charset=utf-8')
    expect(file.headers.get('content-disposition')).toContain(`${zone}.zone`)
    expect(file.text.split('\n').slice(-5)).toEqual([
      'new\t300\tIN\tA\t192.0.2.3',
      'old\t300\tIN\tA\t192.0.2.9',
      'text\t300\tIN\tTXT\t"ab"',
      'www\t600\tIN\tA\t192.0.2.1',
      '',
    ])
    expect(dataOf(await preview(file.text, true))).toMatchObject({
      created: 0,
      ttl_changed: 0,
      deleted: 0,
      unchanged: 4,
    })
  })

  it('a token of dns:read exports and previews, and one of dns:write imports', async () => {
    const token = await zones.site.token(zones.accounts.ada, 'dns:read')
    const body = { text: 'byToken 300 A 192.0.2.4' }
    expect((await zones.site.call('GET', `/v1${path}`, { token })).text).toContain('www')
    const previewed = await zones.site.call('POST', `/v1${path}/preview`, { token, body })
    expect(dataOf(previewed)).toMatchObject({ created: 1, changes: [{ host: 'bytoken' }] })
    const refused = await zones.site.call('POST', `/v1${path}/import`, { token, body })
    expect(refused.body).toMatchObject({ error: 'forbidden_scope', required_scopes: ['dns:write'] })
    expect(dataOf(await zones.call('ada', 'POST', `/${zone}/zone-file/import`, body))).toMatchObject({ created: 1 })
    expect(await ask(zones.site.dnsPort, `bytoken.${zone}`, 'A')).toMatchObject({ answers: [{ value: '192.0.2.4' }] })
  })

  it('403 forbidden_zone for a zone of another account', async () => {
    const bob = await zones.site.browser('bob@example.com')
    const body = { text: 'www A 192.0.2.1' }
    for (const answer of [
      await bob.call('GET', path),
      await bob.call('POST', `${path}/preview`, { body }),
      await bob.call('POST', `${path}/import`, { body }),
    ])
      expect(answer.body['error']).toBe('forbidden_zone')
  })
})
