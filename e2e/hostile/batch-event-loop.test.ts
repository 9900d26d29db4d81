import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { svc } from '../../packages/cli/test/svc.js'
import { databaseKinds } from '../../packages/server/test/app.js'
import { guardedServer, recordsPath, zone } from './guarded-server.js'

/** Batches of changes to large RRsets do not block the event loop. */

/** With 500 more, nearly the 4,000 addresses that one DNS answer carries. */
const setSize = 3_400

const address = (i: number) => `10.0.${i >> 8}.${i & 255}`
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

// On PostgreSQL and in a dry run, the plan is made on the event loop; in the writer thread, its result is received.
describe.each(databaseKinds)('on %s', (kind) => {
  const { place, post, expectNoGap } = guardedServer(kind)

  beforeAll(async () => {
    const file = join(place().cwd, 'zone.txt')
    const lines = [
      ...numbers(setSize).map((i) => `x 300 IN A ${address(i)}`),
      ...numbers(5_000).map((i) => `s${i % 10} 300 IN A ${address(i)}`),
    ]
    await writeFile(file, `${lines.join('\n')}\n`)
    expect((await svc(['dns', 'import', zone, file, '--replace'], place())).code).toBe(0)
  })

  async function batch(changes: readonly object[], dryRun: boolean): Promise<void> {
    const answer = await post(`${recordsPath}/batch`, { changes, dry_run: dryRun })
    expect(answer?.status, answer?.text.slice(0, 300)).toBe(200)
  }

  it.each([true, false])(
    '500 updates of one of 3,400 addresses, each with another ttl (dry run: %s)',
    async (dryRun) => {
      const changes = numbers(500).map((i) => ({ update: { id: 1, ttl: i % 2 === 0 ? 60 : 90 } }))
      await expectNoGap(() => batch(changes, dryRun))
    },
  )

  it('500 new addresses beside 3,400 others', async () => {
    const changes = numbers(500).map((i) => ({
      create: { type: 'A', host: 'x', value: `192.0.${2 + (i >> 8)}.${i & 255}`, ttl: 300 },
    }))
    await expectNoGap(() => batch(changes, true))
  })

  it.each([true, false])('10 replacements of 500 addresses by 400 others (dry run: %s)', async (dryRun) => {
    let round = 0
    await expectNoGap(() => {
      round++
      const values = numbers(400).map((i) => `172.${16 + round}.${i >> 8}.${i & 255}`)
      return batch(
        numbers(10).map((host) => ({ replace: { host: `s${host}`, type: 'A', values, ttl: 60 + round } })),
        dryRun,
      )
    })
  })
})
