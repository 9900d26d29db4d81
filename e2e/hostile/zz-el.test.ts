import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { svc } from '../../packages/cli/test/svc.js'
import { readDatabaseConfig } from '../../packages/server/src/config/config.js'
import { databaseKinds } from '../../packages/server/test/app.js'
import { runSql } from '../../packages/server/test/site.js'
import { guardedServer, zone } from './guarded-server.js'

/** Changes of several megabytes, and a history of many changes, do not block the event loop. */

const path = `/v1/dns/zones/${zone}/history`
const records = 10_000
/** With the records, nearly the four megabytes that a zone can have. */
const value = 'x'.repeat(350)
const smallChanges = 100_000

describe.each(databaseKinds)('the history of a zone on %s', (kind) => {
  const { place, send, post, guard } = guardedServer(kind, '--history-bytes', '0')

  const expectNoGap = async (work: () => Promise<unknown>) => { const all: number[] = []; for (let i = 0; i < 4; i++) all.push(Math.round(10 * await guard().longestGap(work)) / 10); console.log("GAP", kind, expect.getState().currentTestName, all.join(" ")) }
  const read = async <D>(query: string): Promise<D> => {
    const answer = await send({ path: path + query })
    expect(answer?.status, answer?.text.slice(0, 300)).toBe(200)
    return (JSON.parse(answer!.text) as { data: D }).data
  }
  const revert = async (body: object): Promise<number> => {
    const answer = await post(`${path}/revert`, body)
    expect(answer?.status, answer?.text.slice(0, 300)).toBe(200)
    const { data } = JSON.parse(answer!.text) as { data: { removed: unknown[]; added: unknown[] } }
    return data.removed.length + data.added.length
  }
  interface List {
    readonly changes: readonly { readonly serial: number; readonly added: readonly unknown[] }[]
    readonly next: number | null
    readonly total: number
  }

  /** Of the change that created all records. */
  let imported = 0
  beforeAll(async () => {
    const file = join(place().cwd, 'zone.txt')
    const lines = Array.from({ length: records }, (_, i) => `h${i} 300 IN TXT "${value}"`)
    await writeFile(file, `${lines.join('\n')}\n`)
    expect((await svc(['dns', 'import', zone, file, '--replace'], place())).code).toBe(0)
    imported = (await read<List>('?limit=1')).changes[0]?.serial ?? 0
  })

  it('a change of 10,000 records is listed, alone on its page', async () => {
    await expectNoGap(async () => {
      const lists = await Promise.all(['', '?type=TXT', '?host=h7'].map((query) => read<List>(query)))
      expect(lists.map(({ changes }) => changes[0]?.added.length)).toEqual([records, records, 1])
      expect(lists[0]?.next).toBe(imported)
    })
  })

  it('the zone is shown as it was, with all records and with none', async () => {
    await expectNoGap(async () => {
      const shown = await Promise.all(
        [imported, imported - 1].map((serial) => read<{ rrsets: unknown[] }>(`/${String(serial)}`)),
      )
      expect(shown.map(({ rrsets }) => rrsets.length)).toEqual([records, 0])
    })
  })

  it.each([
    ['one change', (serial: number) => ({ serial })],
    ['the whole zone', (serial: number) => ({ to: serial - 1 })],
  ])('the revert of %s with 10,000 records is planned', async (_, body) => {
    await expectNoGap(async () => expect(await revert({ ...body(imported), dry_run: true })).toBe(records))
  })

  it('10,000 records are taken back and restored', async () => {
    await expectNoGap(async () => {
      expect(await revert({ to: imported - 1 })).toBe(records)
      expect(await revert({ to: imported })).toBe(records)
    })
  })

  it('100,000 changes are counted and looked through', async () => {
    const { cwd, env } = place()
    const sql = (statement: string) =>
      runSql(readDatabaseConfig({ env: { SVC_DATA: join(cwd, 'data'), ...env } }), statement)
    const [latest] = await sql(`select id, serial, holder_id from dns_zone where name = '${zone}'`)
    const { id, serial, holder_id: account } = latest as Record<string, number>
    const text = (n: string) => `'[["s' || ${n} || '",["A",300,"192.0.2.1"]]]'`
    await sql(
      `with recursive n(i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${smallChanges})
        insert into zone_change (zone_id, account_id, serial, history_end, at, actor_kind, actor_name, removed, added)
        select ${String(id)}, ${String(account)}, ${String(serial)} + i, i, i, 'operator', 'test', '', ${text('i')} from n`,
    )
    await sql(`update dns_zone set serial = serial + ${smallChanges} where name = '${zone}'`)
    for (const [query, total] of [
      ['?limit=10', smallChanges],
      ['?host=s77&type=A', 1],
      ['?type=MX', 0],
    ] as const)
      await expectNoGap(async () => {
        const lists = await Promise.all([read<List>(query), read<List>(query)])
        for (const list of lists) expect(list.total).toBeGreaterThanOrEqual(total)
      })
  })
})
