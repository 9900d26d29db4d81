import { expect, it, vi } from 'vitest'
import { onContent, startDeployments } from '../../../test/deployments.js'

it('stops even if the last uses of short links cannot be saved, and logs the error', async () => {
  const site = await startDeployments('sqlite')
  const { slug } = await site.create({ kind: 'shortlink', target: 'https://example.com/' })
  expect((await onContent(site, 'GET', `/l/${slug}`)).status).toBe(302)
  vi.spyOn(site.app.database, 'write').mockRejectedValue(new Error('the database is gone'))
  await expect(site.stop()).resolves.toBeUndefined()
  const lines = site.log.map((line) => JSON.parse(line) as { msg?: string; err?: { message: string } })
  const notSaved = lines.filter(({ msg }) => msg === 'the uses of short links could not be saved')
  expect(notSaved.at(-1)?.err?.message).toBe('the database is gone')
})
