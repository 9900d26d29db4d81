import { OperatorError } from '../../shared/operator-error.js'
import { tables } from '../../app/tables.js'
import type { ServerNames, TableName } from '../../db/table-declaration.js'
import { nameOfRow, RowChecks } from '../row-checks.js'
import { ArchivedLinks } from './archived-links.js'
import type { RowValues } from './row-values.js'
import type { ArchivedZones } from './zones.js'

/** What an import must know of an archive before the first row is inserted. */
export interface Contents extends ArchivedZones {
  /** The only row of `account`. */
  readonly account: RowValues
  /** Its id in the archive. */
  readonly accountId: number
  /** Old ids in ascending order, by table, for rows that get new ids. */
  readonly ids: ReadonlyMap<TableName, readonly number[]>
  /** The tables that have rows. */
  readonly tables: ReadonlySet<TableName>
  /** Ids of the keys that encrypt the secrets: of the export key, unless the archive has none. */
  readonly keyIds: ReadonlySet<string>
  /** Keys of objects, with their sizes in bytes. */
  readonly objects: ReadonlyMap<string, number>
  readonly rows: number
}

/** The zones and claims decide on their ids themselves. */
const otherIds: readonly TableName[] = ['account', 'dns_zone', 'dns_claim']

/** How many bad rows a message names. */
const problemsMax = 10

/** Checks and collects the contents of an archive while it is read: its rows may come from a stranger. */
export class ContentsReader {
  readonly #checks: RowChecks
  readonly #links = new ArchivedLinks()
  readonly #problems: string[] = []
  readonly #zoneNames = new Map<number, string>()
  readonly #accounts: RowValues[] = []
  readonly #claims: RowValues[] = []
  readonly #zones: RowValues[] = []
  readonly #ids = new Map<TableName, number[]>()
  readonly #tables = new Set<TableName>()
  readonly #keyIds = new Set<string>()
  readonly #objects = new Map<string, number>()
  #rows = 0

  /** @param serverNames which no domain of a site can have */
  constructor(serverNames: ServerNames) {
    this.#checks = new RowChecks({ serverNames, zoneOf: (id) => this.#zoneNames.get(id) })
  }

  add(table: TableName, rows: readonly RowValues[]): void {
    this.#rows += rows.length
    for (const row of rows) this.#check(table, row)
    this.#tables.add(table)
    const { hasGeneratedId, mayDangle = [], references } = tables[table]
    if (hasGeneratedId && !otherIds.includes(table)) this.#addIds(table, rows, 'id')
    // No row gets the new ids of deleted rows.
    for (const column of mayDangle) this.#addIds(references[column] ?? table, rows, column)
    for (const row of rows) this.#addRow(table, row)
  }

  /** @throws OperatorError for an archive that does not have one account, and for one with rows that no request could have stored */
  finish(): Contents {
    const missing = this.#problems.length === 0 ? this.#links.finish() : undefined
    const problems = missing === undefined ? this.#problems : [...this.#problems, missing]
    if (problems.length > 0)
      throw new OperatorError(
        [
          'The archive has rows that svc does not store, so nothing is imported:',
          ...problems.slice(0, problemsMax),
        ].join('\n  '),
      )
    const [account] = this.#accounts
    if (account === undefined || this.#accounts.length > 1)
      throw new OperatorError(`The archive is damaged: it has ${String(this.#accounts.length)} accounts.`)
    return {
      account,
      accountId: Number(account['id']),
      claims: this.#claims,
      zones: this.#zones,
      ids: new Map([...this.#ids].map(([table, ids]) => [table, ascending(ids)])),
      tables: this.#tables,
      keyIds: this.#keyIds,
      objects: this.#objects,
      rows: this.#rows,
    }
  }

  #addIds(table: TableName, rows: readonly RowValues[], column: string): void {
    const ids = this.#ids.get(table) ?? []
    this.#ids.set(table, ids)
    for (const row of rows) ids.push(Number(row[column]))
  }

  #check(table: TableName, row: RowValues): void {
    if (this.#problems.length >= problemsMax) return
    // Links to a row that is bad would be reported too.
    const linkProblem = () => (this.#problems.length === 0 ? this.#links.add(table, row) : undefined)
    const problem = this.#checks.problemOf(table, row) ?? linkProblem()
    if (problem !== undefined) this.#problems.push(`${nameOfRow(table, row)}: ${problem}`)
  }

  #addRow(table: TableName, row: RowValues): void {
    if (table === 'account') this.#accounts.push(row)
    else if (table === 'dns_claim') this.#claims.push(row)
    else if (table === 'dns_zone') {
      this.#zones.push(row)
      this.#zoneNames.set(Number(row['id']), String(row['name']))
    } else if (table === 'blob') this.#objects.set(String(row['key']), Number(row['size']))
    const { master_key_id: keyId = null } = row
    if (keyId !== null) this.#keyIds.add(String(keyId))
  }
}

/** The ids, each once. Not with a Set, which takes five times the memory and at most 16 million. */
const ascending = (ids: number[]): readonly number[] =>
  ids.sort((a, b) => a - b).filter((id, index) => id !== ids[index - 1])
