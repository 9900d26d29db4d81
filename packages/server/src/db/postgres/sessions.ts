import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../shared/operator-error.js'
import type { Connection } from './client.js'

/** How long sessions may need to end after their processes. */
const sessionsEndMs = 1_000

/** Makes sure that no other process of svc uses the database. @throws OperatorError */
export async function requireUnshared(client: Connection): Promise<void> {
  const until = performance.now() + sessionsEndMs
  for (;;) {
    const others = await countSessions(client)
    if (others === 0) return
    if (performance.now() > until)
      throw new OperatorError(
        `Other processes of svc have ${String(others)} connections to the database: stop the servers first.`,
      )
    await sleep(100)
  }
}

/** The sessions of other processes of svc on this database. */
async function countSessions(client: Connection): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity
      where datname = current_database() and application_name = 'svc' and pid <> pg_backend_pid()`,
  )
  return rows[0]?.count ?? 0
}
