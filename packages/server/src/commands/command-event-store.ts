import type { Database } from '../db/port.js'
import { unit } from '../db/unit.js'
import { recordOperatorEvent } from '../journal/event-store.js'
import { recordReadEvents } from '../journal/read-event-store.js'
import type { Account } from '../shared/account.js'

/** Events of commands that change no row, or many tables at once. Operator store. */

const noteCommand = unit(import.meta, 'noteCommand', async (tx, command: string, object: string, at: number) => {
  recordOperatorEvent(tx, { at, command, object, accountId: null })
})

const noteExport = unit(
  import.meta,
  'noteExport',
  async (tx, { id: accountId, actor }: Pick<Account, 'id' | 'actor'>, at: number) => {
    await recordReadEvents(tx, [{ accountId, at, area: 'account', action: 'account_export', object: '', actor }])
  },
)

export const commandEventStore = (db: Database) => ({
  /** @param command such as `svc restore` @param object what it has changed; empty for the installation */
  note: (command: string, object: string): Promise<void> => db.write(noteCommand, command, object, Date.now()),

  /** Writes the event of an export into the journals of the account and the operator. */
  noteExport: ({ id, actor }: Account): Promise<void> => db.write(noteExport, { id, actor }, Date.now()),
})
