import { schemaOf } from '../src/commands/account-import.js'
import { AccountArchive } from '../src/commands/account-transfer/archive.js'
import type { RowValues } from '../src/commands/account-transfer/row-values.js'
import { exportedSecret, identityIn } from '../src/commands/account-transfer/exported-secrets.js'
import { tables as declared } from '../src/app/tables.js'
import type { TableName } from '../src/db/table-declaration.js'
import type { DatabaseConfig } from '../src/db/connect.js'
import type { MasterKey } from '../src/shared/master-key.js'

/** The rows of an archive by table, in a form that does not depend on the ids, keys and secrets of an installation. */
export type ComparableRows = Readonly<Record<string, readonly unknown[]>>

export async function comparableRows(file: string, database: DatabaseConfig, key: MasterKey): Promise<ComparableRows> {
  const { tables: shapes, migrations } = await schemaOf({ database })
  const archive = new AccountArchive(file, shapes, migrations)
  const contents = await archive.read({ sitesDomain: 'localhost', hosts: [] })
  const zones = new Map(contents.zones.map(({ id, name }) => [id, name]))

  const registered = ['registrar', 'expires_at', 'synced_at', 'registration', 'due_at', 'changed_at']
  /** What an import does not take from the file: zones are claimed now, and registries are asked. */
  const decidedHere = new Set([
    ...['dns_zone.version', 'dns_zone.serial', 'dns_zone.history_end', 'dns_claim.created_at'],
    ...registered.map((column) => `domain.${column}`),
  ])

  function comparable(table: TableName, column: string, value: RowValues[string], row: RowValues): unknown {
    const isId = column === 'id' && declared[table].hasGeneratedId
    const target = isId ? table : (declared[table].references as Record<string, TableName>)[column]
    if (decidedHere.has(`${table}.${column}`)) return undefined
    if (value === null || (target === undefined && column !== 'key')) return secretOr(table, column, value, row)
    if (target === 'account') return value === contents.accountId ? 'own' : 'other'
    if (target === 'dns_zone') return zones.get(value)
    if (target === 'dns_claim') return undefined
    if (target === 'blob' || table === 'blob') return contents.objects.get(String(value))
    return target && contents.ids.get(target)?.indexOf(Number(value))
  }
  function secretOr(table: TableName, column: string, value: RowValues[string], row: RowValues): unknown {
    if (column === 'master_key_id') return undefined
    const identity = column === 'sealed' ? identityIn(table, contents.accountId, row) : undefined
    return identity === undefined ? value : exportedSecret(row, identity, key)
  }

  const tables: Record<string, unknown[]> = {}
  const items = await archive.items()
  for await (const _ of items.objects());
  for await (const { table, values } of items.rows())
    (tables[table] ??= []).push(
      ...values.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([column, value]) => [column, comparable(table, column, value, row)]),
        ),
      ),
    )
  // In an order that does not depend on ids and keys either.
  for (const table of ['blob', 'dns_zone', 'dns_record', 'dns_claim'])
    tables[table]?.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return tables
}
