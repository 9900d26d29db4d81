import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startSms, type SmsSite } from '../packages/server/test/sms-site.js'
import { startKannel, type Kannel } from '../test/servers/index.js'

/** A real SMS gateway that posts the messages it receives. */

let site: SmsSite
let kannel: Kannel
beforeAll(async () => {
  site = await startSms('sqlite')
  const { key } = await site.createKey({ label: 'Kannel' })
  kannel = await startKannel(`${site.url}/sms/${key}`)
})
afterAll(async () => {
  await kannel.stop()
  await site.stop()
})

/** @returns the newest message when the account has `total` messages */
const newest = (total: number) =>
  vi.waitFor(
    async () => {
      const page = await site.messages('?limit=1')
      expect(page.total).toBe(total)
      return page.messages[0] as Record<string, string>
    },
    { timeout: 10_000, interval: 25 },
  )

it('stores what Kannel receives', async () => {
  await kannel.receive('+4915550100 13013 text Your code is 123456')
  const message = await newest(1)
  expect(message).toMatchObject({ from: '+4915550100', to: '13013', body: 'Your code is 123456', device: 'FAKE' })
  // Kannel's own time, which has no milliseconds.
  expect(message['received_at']).toMatch(/\.000Z$/)
  expect(Math.abs(Date.now() - Date.parse(message['received_at'] ?? ''))).toBeLessThan(60_000)
})

it('stores a message in UCS-2 with an emoji', async () => {
  await kannel.receive('+4915550100 13013 ucs2 %00h%00%e4%00%0a%d8%3d%de%00')
  expect(await newest(2)).toMatchObject({ body: 'h\u00e4\n😀' })
})
