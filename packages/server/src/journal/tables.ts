import type { ActorKind } from '@svc/contract/limits'
import type { Generated } from 'kysely'
import { ofAccount, ofInstallation, type AreaTables } from '../db/table-declaration.js'

declare module '../db/tables.js' {
  interface Tables {
    account_event: AccountEventTable
    operator_event: OperatorEventTable
  }
}

/**
 * An event of an account. The row of a change of a zone refers to its row in `zone_change`, by zone, account and serial, and all columns
 * below `network` are null: that row has them.
 */
interface AccountEventTable {
  /** Never used again. On PostgreSQL, not in the order of the commits. */
  id: Generated<number>
  account_id: number
  at: number
  zone_id: number | null
  serial: number | null
  /** Of the token; null for other actors. */
  actor_id: number | null
  /** Of the client: `192.0.2.0/24`; null for an event without a request. */
  network: string | null
  area: string | null
  action: string | null
  object: string | null
  actor_kind: ActorKind | null
  actor_name: string | null
  request_id: string | null
  /** JSON object of fields before the event; null without any. */
  before: string | null
  after: string | null
}

/** What a command of the operator has done. */
interface OperatorEventTable {
  id: Generated<number>
  at: number
  command: string
  object: string
  /** Email of the account as it was then; null without an account. */
  account: string | null
  /** The user of the operating system. */
  os_user: string
  /** JSON object of fields before the event; null without any. */
  before: string | null
  after: string | null
}

export const journalTables = {
  tables: {
    account_event: {
      ...ofAccount,
      hasGeneratedId: true,
      references: { account_id: 'account', zone_id: 'dns_zone', actor_id: 'token' },
      mayDangle: ['zone_id', 'actor_id'],
      leftOut: 'events name tokens, requests and networks of this installation: they begin again in the next one',
    },
    operator_event: { ...ofInstallation('of the operator of this installation'), hasGeneratedId: true },
  },
} satisfies AreaTables
