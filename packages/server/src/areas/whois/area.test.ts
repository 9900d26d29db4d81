import { expect, it } from 'vitest'
import { openTestDatabase, startRegistries } from '../../../test/registries.js'
import { whoisArea } from './area.js'

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
