import { expect, it } from 'vitest'
import { OpenedSecrets } from './opened-secrets.js'

const keysOf = (first: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    sealed: Buffer.from(`sealed ${String(first + n)}`),
    identity: ['dns_key', 0, String(first + n)] as const,
  }))

it('returns the secrets that are in memory also if new ones displace them, with more than a thousand keys', async () => {
  const secrets = new OpenedSecrets({
    openAll: async (entries) => entries.map(({ sealed }) => Buffer.from(sealed).toString('base64')),
  })
  await secrets.open(keysOf(0, 1000))
  const asked = [...keysOf(0, 100), ...keysOf(1000, 100)]
  expect(await secrets.open(asked)).toEqual(asked.map(({ sealed }) => sealed))
})
