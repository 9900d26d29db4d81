import { expect, it } from 'vitest'
import { rdapDocument } from '../../../test/registry-servers.js'
import { openTestDatabase, startRegistries } from '../../../test/registries.js'
import { registrationStore } from '../../ports/registry/registration-store.js'
import { whoisArea } from './area.js'

it('removes old rows in a job', async () => {
  const database = await openTestDatabase()
  let clock = Date.now()
  const { registries, rdap, stop } = await startRegistries(database.db, () => ({ now: () => clock }))
  rdap.documents.set('example.com', rdapDocument('example.com'))
  await registries.lookUp('example.com')
  const rows = registrationStore(database.db)
  const { jobs = [] } = whoisArea(registries)
  for (const { run } of jobs) await run(new AbortController().signal)
  expect(await rows.find('example.com')).toBeDefined()
  clock += 2 * 24 * 60 * 60 * 1000
  for (const { run } of jobs) await run(new AbortController().signal)
  expect(await rows.find('example.com')).toBeUndefined()
  await stop()
  await database.close()
})

it('ends look-ups when the server stops', async () => {
  const database = await openTestDatabase()
  const { registries, rdap, stop } = await startRegistries(database.db)
  const { stop: stopArea } = whoisArea(registries)
  rdap.respond = () => undefined
  const call = registries.lookUp('example.net')
  const ended = expect(call).rejects.toThrow('The server is stopping.')
  await expect.poll(() => rdap.requests).toContain('/domain/example.net')
  stopArea?.()
  await ended
  await stop()
  await database.close()
})
