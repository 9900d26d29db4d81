import { sql, type Expression } from 'kysely'
import type { Dialect } from '../../../db/port.js'

/** A condition: the record belongs to this account, or to no account when it is null, as the holder of a zone may be. */
export const isOf = (account: Expression<number | null>, dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<boolean>`dns_record.account_id is not distinct from ${account}`
    : sql<boolean>`dns_record.account_id is ${account}`
