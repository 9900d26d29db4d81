import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { emptyPlace, svcServe } from '../../packages/cli/test/svc.js'
import { bundledCountries } from '../../packages/server/src/ports/country/mmdb-countries.js'

it('a corrupt country database: geo answers null, not 500, and the log has one warning', async () => {
  await using place = await emptyPlace()
  const bytes = await readFile(bundledCountries())
  // Overwrites the end of the data section, which lies between the search tree and the metadata.
  const metadata = bytes.lastIndexOf('\xab\xcd\xefMaxMind.com', undefined, 'latin1')
  bytes.fill(0, metadata - 1500, metadata)
  const SVC_GEO_DB = join(place.cwd, 'damaged.mmdb')
  await writeFile(SVC_GEO_DB, bytes)
  await using server = await svcServe({ ...place, env: { SVC_GEO_DB, SVC_TRUST_PROXY: 'loopback' } })
  for (const address of ['8.8.8.8', '193.0.6.139', '2a02:908::1']) {
    const response = await fetch(`${server.url}/v1/public/geo`, { headers: { 'x-forwarded-for': address } })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ success: true, data: { country: null } })
  }
  await server.stop()
  const warnings = server.log
    .filter(({ level }) => level === 'warn' || level === 'error')
    .filter(({ msg }) => !String(msg).startsWith('SVC_NAMESERVERS is'))
  expect(warnings).toEqual([expect.objectContaining({ msg: expect.stringContaining('country database is damaged') })])
})
