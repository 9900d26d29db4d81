import { expect, it } from 'vitest'
import { rdapDocument } from '../../../test/registry-servers.js'
import { openTestDatabase, startRegistries } from '../../../test/registries.js'
import { whoisArea } from './area.js'

it('removes old rows in a job, and ends look-ups when the server stops', async () => {
  const database = await openTestDatabase()
  const { registries, rdap, stop } = await startRegistries(database.db)
  const { jobs = [], stop: stopArea } = whoisArea(registries)
  rdap.documents.set('example.com', rdapDocument('example.com'))
  const answer = await registries.lookUp('example.com')
  for (const { run } of jobs) await run(new AbortController().signal)
  expect(await registries.lookUp('example.com')).toMatchObject({ fetchedAt: answer.fetchedAt, isCached: true })

  rdap.respond = () => undefined
  const call = registries.lookUp('example.net')
  const ended = expect(call).rejects.toThrow('The server is stopping.')
  await expect.poll(() => rdap.requests).toContain('/domain/example.net')
  stopArea?.()
  await ended
  await stop()
  await database.close()
})
