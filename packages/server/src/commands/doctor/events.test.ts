import { expect, it, onTestFinished } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import { findingsOf } from '../../../test/findings.js'
import { runSql } from '../../../test/site.js'
import { twoProcesses } from '../../../test/two-processes.js'
import { openForDoctor } from './database.js'
import { eventsCheck } from './events.js'

const dayMs = 86_400_000

it('is not checked without a database', async () => {
  expect(await findingsOf(eventsCheck)).toEqual(['warning Not checked, because the database cannot be used.'])
})

it.each(databaseKinds)('counts the events, and warns of those that should have been removed, on %s', async (kind) => {
  const site = await twoProcesses(kind)
  onTestFinished(site.stop)
  const opened = await openForDoctor(site.config)
  if (opened.kind !== 'open') throw new Error(opened.kind)
  onTestFinished(() => opened.database.close())
  const find = (days: string) => findingsOf(eventsCheck, { SVC_HISTORY_DAYS: days }, opened.database)
  const add = async (table: 'account_event' | 'operator_event', ageDays: number) => {
    const at = String(Date.now() - ageDays * dayMs)
    await runSql(
      site.config,
      table === 'account_event'
        ? `insert into account_event (account_id, at, area, action, object, actor_kind, actor_name)
            values (1, ${at}, 'account', 'sign_in', '', 'session', 'console')`
        : `insert into operator_event (at, command, object, os_user) values (${at}, 'svc plan set', 'a', 'root')`,
    )
  }
  for (const table of ['account_event', 'operator_event']) await runSql(site.config, `delete from ${table}`)
  expect(await find('30')).toEqual(["ok 0 events of accounts and 0 of the operator's commands."])
  await add('account_event', 31)
  await add('account_event', 1)
  await add('operator_event', 1)
  const counted = "ok 2 events of accounts and 1 of the operator's commands."
  // The job may not have run yet.
  expect(await find('30')).toEqual([counted])
  expect(await find('7')).toEqual([
    counted,
    expect.stringMatching(/^warning Events are to be kept for 7 days, and the oldest is of \d{4}-.*Z\.$/),
  ])
  expect(await find('0')).toEqual([counted])
  await runSql(site.config, 'delete from operator_event')
  await add('operator_event', 40)
  expect((await find('30'))[1]).toMatch(/^warning Events are to be kept for 30 days/)
})
