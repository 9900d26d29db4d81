import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import { runSql } from '../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../test/two-processes.js'
import { certificateNotices } from './notices.js'

const day = 86_400_000

describe.each(databaseKinds)('e-mails about certificates that cannot be ordered on %s', (kind) => {
  let site: TwoProcesses
  beforeAll(async () => {
    site = await twoProcesses(kind)
  })
  afterAll(() => site.stop())

  const sql = (statement: string) => runSql(site.config, statement)
  const topics = async () => (await sql('select topic from mail_message')).map((row) => Number(row['topic']))

  async function addCertificate(accountId: number | null, failingSince: number | null, wanted = 1): Promise<number> {
    const values = [accountId, failingSince].map((value) => (value === null ? 'null' : String(value)))
    const name = `z${String(Math.random())}.com`
    await sql(`insert into certificate (account_id, zone, names, wanted, next_at, failures, failing_since, error)
      values (${values[0] ?? ''}, '${name}', '["*.${name}","${name}"]', ${String(wanted)}, 0, 3, ${values[1] ?? ''}, 'The CA says no.')`)
    const [row] = await sql('select max(id) as id from certificate')
    return Number(row?.['id'])
  }

  it('come a day after the first failure, with the reason, and not about those of the server', async () => {
    const ada = site.people[0]!.id
    const now = Date.now()
    const failing = await addCertificate(ada, now - 2 * day)
    await addCertificate(ada, now - day / 2)
    await addCertificate(ada, null)
    await addCertificate(ada, now - 2 * day, 0)
    await addCertificate(null, now - 2 * day)
    const { jobs, mails } = certificateNotices(site.db, { isOn: true, wake: () => undefined }, 'https://svc.test')
    for (let i = 0; i < 2; i++) await jobs[0]?.run(new AbortController().signal)
    expect(await topics()).toEqual([failing])

    const compose = (accountId = ada) =>
      mails['certificate-failure']!({ accountId, topic: String(failing), recipient: '' })
    expect(await compose()).toMatchObject({
      title: expect.stringMatching(/^No certificate for \*\.z/),
      facts: [
        ['Names', expect.anything()],
        ['Reason', 'The CA says no.'],
        ['Valid until', 'There is none yet'],
      ],
      action: { url: 'https://svc.test/console/certificates' },
    })
    expect(await compose(site.people[1]!.id)).toBeUndefined()
    await sql(`update certificate set error = null, not_after = ${String(Date.UTC(2026, 11, 1))}`)
    expect((await compose())?.facts?.slice(1)).toEqual([
      ['Reason', 'unknown'],
      ['Valid until', '2026-12-01T00:00:00.000Z'],
    ])
    await sql('update certificate set failing_since = null')
    expect(await compose()).toBeUndefined()
  })
})
