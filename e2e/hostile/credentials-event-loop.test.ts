import { expect, it } from 'vitest'
import { guardedServer } from './guarded-server.js'

/** No request about credentials blocks the event loop. */

const { send, post, expectNoGap } = guardedServer('sqlite')

const store = (platform: string, label: string, secret: string) => post('/v1/cred', { platform, label, secret })

async function storeAll(platform: string, count: number, secret: string): Promise<void> {
  for (let stored = 0; stored < count; stored += 8)
    for (const answer of await Promise.all(
      Array.from({ length: 8 }, (_, i) => store(platform, String(stored + i), secret)),
    ))
      expect(answer?.status, answer?.text).toBe(200)
}

/** Lists the credentials of a platform several times at once. */
const listAll = async (platform: string, times: number) => {
  const lists = Array.from({ length: times }, () =>
    send({ path: `/v1/cred?platform=${platform}`, isTextDropped: true }),
  )
  for (const answer of await Promise.all(lists)) expect(answer?.status).toBe(200)
}

it('16 parallel lists of 400 short secrets do not block the event loop', async () => {
  await storeAll('short', 400, 'correct horse battery staple')
  await expectNoGap(() => listAll('short', 16))
})

it('4 parallel lists of 96 secrets of 64 KiB that JSON escapes do not block the event loop', async () => {
  const secret = '\u0001'.repeat(65_536)
  await expectNoGap(() => storeAll('long', 96, secret))
  await expectNoGap(() => listAll('long', 4))
})
