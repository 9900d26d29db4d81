import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../packages/server/test/app.js'
import { startDomains, type Domains } from '../../packages/server/test/domain-site.js'
import { isLong, random } from './random.js'

/** Changes of one own domain at the same time leave the DNS record of a domain that is served, and no other. */

describe.each(databaseKinds)('own domains on %s', (kind) => {
  let domains: Domains
  beforeAll(async () => {
    domains = await startDomains(kind)
    await domains.deploy('ada', 'docs')
    await domains.zones.claim('ada', 'ada.com')
  })
  afterAll(() => domains.zones.stop())

  it('additions and removals at once leave a record and a page if and only if the domain is left', async () => {
    const { add, dig, list, page, remove } = domains
    const { integer } = random('own domains')
    const host = 'race.ada.com'
    for (let round = 0; round < (isLong ? 200 : 20); round++) {
      const changes = Array.from({ length: 6 }, async () => {
        await sleep(integer(0, 15))
        return integer(0, 1) === 0 ? add('ada', 'docs', host) : remove('ada', host)
      })
      for (const { status } of await Promise.all(changes)) expect([200, 400, 404]).toContain(status)
      const [left] = ((await list('ada')) as { host: string; name: string }[]).filter((domain) => domain.host === host)
      const expected = left ? [[`CNAME ${left.name}.sites.example`], `page of ${left.name}`] : [[], '404']
      expect([await dig(host, 'A'), await page(host)]).toEqual(expected)
    }
  })
})
