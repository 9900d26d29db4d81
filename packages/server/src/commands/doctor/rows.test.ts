import { describe, expect, it } from 'vitest'
import { startSite } from '../../../test/site.js'
import { databaseKinds } from '../../../test/app.js'
import { readConfig } from '../../config/config.js'
import { inspectDatabase } from '../../db/connect.js'
import { runCheck } from './check.js'
import { rowsCheck } from './rows.js'

describe.each(databaseKinds)('svc doctor on %s', (kind) => {
  it('names rows that no request could have stored, with the command that shows the first one', async () => {
    const site = await startSite(kind)
    const database = await inspectDatabase(site.database, () => undefined)
    try {
      const { id } = await site.account('ada@example.com')
      const config = { ...readConfig({ env: {} }), database: site.database }
      const context = { config, env: {}, progress: () => undefined, database: Promise.resolve(database) }
      // As after `svc user delete`.
      await site.sql(`insert into deployment_slug (kind, slug) values ('form', 'retired')`)
      const [ok, ...others] = await runCheck(rowsCheck, context)
      expect(ok).toMatchObject({ status: 'ok', message: expect.stringMatching(/^Checked \d+ rows?\.$/) })
      expect(others).toEqual([])
      await site.sql(
        `insert into dns_zone (name, serial, version, last_record_id, holder_id, content_bytes)
          values ('..bad..zone', 1, 1, 0, ${String(id)}, 0)`,
      )
      await site.sql(
        `update account set password_hash = '$argon2id$v=19$m=524288,t=30,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA'`,
      )
      const blob = kind === 'sqlite' ? "x'00'" : "decode('00', 'hex')"
      const hash = kind === 'sqlite' ? 'zeroblob(32)' : `decode(repeat('00', 32), 'hex')`
      await site.sql(
        `insert into token (account_id, name, prefix, hash, scopes, created_at, tsig_algorithm, master_key_id, sealed, update_hash)
          values (${String(id)}, 'both', 'tsig', ${hash}, 'dns:write', 1, 'hmac-sha256', '00', ${blob}, ${hash})`,
      )
      const [found] = await runCheck(rowsCheck, context)
      expect(found).toMatchObject({
        status: 'warning',
        message: '3 rows are not what svc stores: a server may leave them out.',
        remedy: expect.stringContaining(`"select * from account where id = ${String(id)}"`),
        details: [
          `account ${String(id)}: password_hash must be a hash of argon2id with at most 64 MiB, 4 passes and 4 lanes.`,
          expect.stringMatching(/^dns_zone \d+: zone must be an apex domain/),
          expect.stringMatching(/^token \d+: update_hash must be null: a TSIG key has no update key/),
        ],
      })
    } finally {
      await database.close()
      await site.stop()
    }
  })
})
