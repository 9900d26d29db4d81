import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer } from '../../../../test/app.js'
import { dataOf, startZoneSite, type ZoneSite } from '../../../../test/zone-site.js'

/** Answers do not reveal whether another account has a zone (specification, section 4.4, rule 2). */

const operations = [
  ['GET', ''],
  ['POST', '/verify'],
  ['DELETE', ''],
  ['GET', '/records'],
  ['POST', '/records', { type: 'A', value: '192.0.2.1' }],
  ['GET', '/records/1'],
  ['PATCH', '/records/1', { ttl: 60 }],
  ['DELETE', '/records/1'],
] as const

/** A zone of another account, one that a third account claims too, a nonexistent one, and names that cannot be zones. */
const foreign = ['isolated.com', 'pending-elsewhere.com', 'nowhere.com', 'www.isolated.com', 'xn--.com', 'a b', '\0']

/** The text of an answer without the request id and the zone. */
const neutral = ({ text, body: { request_id, zone } }: Answer) =>
  text.replace(JSON.stringify(request_id), 'ID').replace(JSON.stringify(zone), 'ZONE')

describe.each(databaseKinds)('isolation on %s', (kind) => {
  let zones: ZoneSite
  beforeAll(async () => {
    zones = await startZoneSite(kind)
    await zones.claim('ada', 'isolated.com')
    await zones.claim('ada', 'pending-elsewhere.com')
    await zones.claim('bob', 'pending-elsewhere.com')
    dataOf(await zones.call('ada', 'POST', '/isolated.com/records', { type: 'A', value: '192.0.2.7' }))
  })
  afterAll(() => zones.stop())

  it.each(operations)(
    '%s %s: 403 forbidden_zone, the same body for a zone of another account and a nonexistent one',
    async (...op) => {
      const [method, path, body] = op
      const answers = await Promise.all(
        foreign.map((zone) => zones.call('cy', method, `/${encodeURIComponent(zone)}${path}`, body)),
      )
      expect(answers.map(({ status, body: { error } }) => [status, error])).toEqual(
        foreign.map(() => [403, 'forbidden_zone']),
      )
      expect(answers.map((answer) => answer.body['zone']).slice(0, 4)).toEqual(foreign.slice(0, 4))
      expect(new Set(answers.map(neutral)).size).toBe(1)
    },
  )

  it.each(operations.slice(3))(
    '%s %s: the same body for a pending zone of the caller and a nonexistent one',
    async (...op) => {
      const [method, path, body] = op
      const [pending, nonexistent] = await Promise.all(
        ['pending-elsewhere.com', 'nowhere.com'].map((zone) => zones.call('bob', method, `/${zone}${path}`, body)),
      )
      expect(pending!.status).toBe(403)
      expect(neutral(pending!)).toBe(neutral(nonexistent!))
    },
  )

  it('names the zone in its canonical form', async () => {
    expect((await zones.get('cy', 'BÜCHER.example.')).body['zone']).toBe('xn--bcher-kva.example')
  })

  it('rejected calls change nothing', async () => {
    expect(dataOf(await zones.get('ada', 'isolated.com'))['status']).toBe('verified')
    expect(dataOf(await zones.get('bob', 'pending-elsewhere.com'))['status']).toBe('pending')
    expect(dataOf(await zones.call('ada', 'GET', '/isolated.com/records'))['records']).toMatchObject([
      { value: '192.0.2.7', ttl: 3600 },
    ])
  })
})
