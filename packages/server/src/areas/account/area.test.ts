import { expect, it, vi } from 'vitest'
import { startApp } from '../../../test/app.js'

it('stops even if the last uses cannot be saved, and logs the error', async () => {
  const app = await startApp()
  const token = await app.token(await app.account('ada@example.com'), '*')
  expect((await app.call('GET', '/v1/account/sessions', { token })).status).toBe(200)
  vi.spyOn(app.app.database, 'write').mockRejectedValue(new Error('the database is gone'))
  await expect(app.stop()).resolves.toBeUndefined()
  const lines = app.log.map((line) => JSON.parse(line) as { msg?: string; err?: { message: string } })
  expect(lines.filter(({ msg }) => msg?.includes('the last uses of tokens')).map(({ err }) => err?.message)).toEqual([
    'the database is gone',
  ])
})
