import { expect, it } from 'vitest'
import { accountMoves } from '../../../test/account-moves.js'
import { runSql } from '../../../test/site.js'
import { withDatabase } from '../with-database.js'

/** What the operator of an installation decides about an account is not taken from an archive. */

const passwordHash = '$argon2id$v=19$m=8,t=1,p=1$O3ogKp8IQA1HYjdMpXC7Pg$jM09YX0l6LQzYPQRG1gpQekvhLuRw9GkugEDfP65rVY'

const { onSqlite, exportTo, importFrom } = accountMoves()

it.each([
  ['active', 'active'],
  ['suspended', 'suspended'],
  ['stopped', 'stopped'],
  // Otherwise the imported account would be deleted, and its zones with it.
  ['deleted', 'stopped'],
])(
  'an imported account has no limits and no plan of its own, and is not being deleted: %s',
  async (state, imported) => {
    const [from, to] = [onSqlite(`from-${state}`), onSqlite(`to-${state}`)]
    for (const { database } of [from, to]) await withDatabase(database, () => Promise.resolve())
    await runSql(
      from.database,
      `insert into account (email, nickname, password_hash, created_at, state, limits, plan)
     values ('ada@example.com', '', '${passwordHash}', 1, '${state}', '{"zones":9007199254740991,"files_bytes":0}', 'large')`,
    )
    const key = await exportTo(`${state}.svc`, from, 'ada@example.com')
    await importFrom(`${state}.svc`, to, key)
    expect(await runSql(to.database, 'select email, state, limits, plan from account')).toEqual([
      { email: 'ada@example.com', state: imported, limits: '{}', plan: null },
    ])
  },
)
