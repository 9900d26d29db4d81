import { sql } from 'kysely'
import type { Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { recordEvent, recordOperatorEvent, type AccountEvent } from '../../../journal/event-store.js'
import { operatorActor, type Actor } from '../../../shared/actor.js'
import { timestamp } from '../../../shared/timestamp.js'

/** The events of ordered certificates: in the journal of their account, and in that of the operator for a command. */

/** Locked until the transaction ends. SQLite has one writer at a time. */
const described = prepared((db, p: { id: number }, dialect) =>
  db
    .selectFrom('certificate')
    .where('id', '=', p.id)
    .select(['account_id as accountId', 'zone', 'names', 'failing_since as failingSince'])
    .select(['leased_until as leasedUntil', sql<number>`case when chain is null then 0 else 1 end`.as('exists')])
    .$if(dialect === 'postgres', (query) => query.forNoKeyUpdate()),
)

/** What orders certificates without a request. */
export const acmeActor: Actor = { kind: 'protocol', id: null, name: 'ACME', requestId: null, ip: null }

const namesIn = (names: string) => JSON.parse(names) as readonly string[]

/** Of one of the server's own certificates, only what a command does is an event. */
function record(
  tx: Transaction,
  { accountId, zone }: { readonly accountId: number | null; readonly zone: string | null },
  event: Pick<AccountEvent<'tls'>, 'at' | 'action' | 'actor' | 'after'>,
): void {
  const { at, actor, after = {} } = event
  if (accountId !== null) recordEvent(tx, { accountId, area: 'tls', object: zone ?? '', ...event })
  else if (actor.kind === 'operator') recordOperatorEvent(tx, { at, command: actor.name, object: '', accountId, after })
}

/** A certificate that is going to be stored. No-op for one that was deleted with its account. */
export async function recordStored(
  tx: Transaction,
  { id, notAfter, now: at }: { readonly id: number; readonly notAfter: number; readonly now: number },
  actor: Actor,
): Promise<void> {
  const row = await tx.one(described, { id })
  if (row === undefined) return
  const ordered = row.exists === 1 ? 'certificate_renew' : 'certificate_issue'
  const action = actor.kind === 'operator' ? 'certificate_import' : ordered
  record(tx, row, { at, action, actor, after: { domains: namesIn(row.names), not_after: timestamp(notAfter) } })
}

/** The first of several failures of an order. No-op for a lease that is over, as the failure itself. */
export async function recordFailed(
  tx: Transaction,
  { id, leasedUntil, now: at }: { readonly id: number; readonly leasedUntil: number; readonly now: number },
  error: string,
): Promise<void> {
  const row = await tx.one(described, { id })
  if (row === undefined || row.failingSince !== null || row.leasedUntil !== leasedUntil) return
  record(tx, row, { at, action: 'certificate_fail', actor: acmeActor, after: { domains: namesIn(row.names), error } })
}

/** A certificate that `svc tls renew` has made due. */
export async function recordQueued(tx: Transaction, id: number, at: number): Promise<void> {
  const row = await tx.one(described, { id })
  if (row === undefined) return
  const actor = operatorActor('svc tls renew')
  record(tx, row, { at, action: 'renewal_request', actor, after: { domains: namesIn(row.names) } })
}
