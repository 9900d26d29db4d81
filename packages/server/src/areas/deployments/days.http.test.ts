import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds, type Envelope } from '../../../test/app.js'
import { onContent, startDeployments, type Deployments } from '../../../test/deployments.js'

/** The submissions of a form and the requests of a webhook on some days. */

const [dayBefore, day, dayAfter] = ['2026-11-21', '2026-11-22', '2026-11-23']
/** Of the entries 1 to 4. */
const times = [
  '2026-11-21T23:59:59.999Z',
  '2026-11-22T00:00:00.000Z',
  '2026-11-22T23:59:59.999Z',
  '2026-11-23T00:00:00.000Z',
]

describe.each(databaseKinds)('lists that are limited to days on %s', (kind) => {
  let site: Deployments
  beforeAll(async () => {
    site = await startDeployments(kind)
  })
  afterAll(() => site.stop())

  describe.each([
    ['submissions of a form', 'form', 'form_submission', (id: number) => `/deployments/${String(id)}/submissions`],
    ['requests of a webhook', 'webhook', 'webhook_request', (id: number) => `/deployments/${String(id)}/requests`],
  ] as const)('%s', (_, ofKind, table, pathOf) => {
    let path: string
    beforeAll(async () => {
      const { id, url } = await site.create({ kind: ofKind })
      path = pathOf(id)
      for (const time of times) {
        const sent = { headers: { 'content-type': 'application/json' }, body: '{"a":"b"}' }
        expect((await onContent(site, 'POST', new URL(url).pathname, sent)).status).toBeLessThan(400)
        await vi.waitFor(async () =>
          expect((await site.ada.call('GET', path)).body['data'].total).toBe(times.indexOf(time) + 1),
        )
        await site.sql(
          `update ${table} set received_at = ${String(Date.parse(time))}
          where deployment_id = ${String(id)} and id = ${String(times.indexOf(time) + 1)}`,
        )
      }
    })

    const list = async (query: string) => {
      const answer = await site.ada.call('GET', `${path}?${query}`)
      expect(answer.status, answer.text).toBe(200)
      const { total, next, ...lists } = answer.body['data'] as Envelope
      const entries = (lists['submissions'] ?? lists['requests']) as { id: number }[]
      return { ids: entries.map(({ id }) => id), total: Number(total), next: next as number | null }
    }

    it.each([
      [`since=${day}&until=${day}`, [3, 2]],
      [`since=${day}`, [4, 3, 2]],
      [`until=${day}`, [3, 2, 1]],
      [`since=${dayBefore}&until=${dayAfter}`, [4, 3, 2, 1]],
      [`since=${dayAfter}&until=${dayBefore}`, []],
    ])('%s lists %j, and counts them', async (query, ids) => {
      expect(await list(query)).toEqual({ ids, total: ids.length, next: null })
    })

    it('answers the next page with `before`', async () => {
      const days = `since=${day}&until=${dayAfter}`
      const first = await list(`${days}&limit=2`)
      expect(first).toEqual({ ids: [4, 3], total: 3, next: 3 })
      expect(await list(`${days}&limit=2&before=3`)).toEqual({ ids: [2], total: 3, next: null })
    })

    it('400 for a day that does not exist', async () => {
      const answer = await site.ada.call('GET', `${path}?since=2026-02-30`)
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({
        field: 'since',
        message: 'since must be a day such as 2026-11-23, not "2026-02-30".',
      })
    })
  })
})
