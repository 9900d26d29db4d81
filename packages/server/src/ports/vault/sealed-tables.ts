/**
 * The tables with encrypted texts, for `svc key rotate`: each has the columns of `SealedColumns` (`db/vault-tables.ts`), which may be
 * null together.
 */
export const sealedTables = ['credential', 'sms_key'] as const

export type SealedTable = (typeof sealedTables)[number]
