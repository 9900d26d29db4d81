import BetterSqlite, { type Database as Handle } from 'better-sqlite3'

/** Memory for pages, in KiB. SQLite moves the rest to a temporary file. */
const cacheKib = 8 * 1024

/** A set of keys of objects that may be too many for the memory. SQLite deletes its temporary file when the process ends. */
export class KeySet {
  readonly #handle: Handle
  readonly #insert
  readonly #remove
  readonly #find
  readonly #after
  readonly #count

  constructor() {
    this.#handle = new BetterSqlite('')
    this.#handle.pragma('journal_mode = off')
    this.#handle.pragma(`cache_size = -${String(cacheKib)}`)
    this.#handle.exec('create table kept (key text primary key not null, size integer not null) without rowid; begin')
    this.#insert = this.#handle.prepare<[string, number]>('insert or ignore into kept (key, size) values (?, ?)')
    this.#remove = this.#handle.prepare<[string]>('delete from kept where key = ?')
    this.#find = this.#handle.prepare<[string]>('select 1 from kept where key = ?')
    this.#after = this.#handle.prepare<[string], { key: string; size: number }>(
      'select key, size from kept where key > ? order by key limit 1',
    )
    this.#count = this.#handle.prepare<[], number>('select count(*) from kept').pluck()
  }

  get size(): number {
    return this.#count.get() ?? 0
  }

  add(key: string, size = 0): void {
    this.#insert.run(key, size)
  }

  has(key: string): boolean {
    return this.#find.get(key) !== undefined
  }

  delete(key: string): void {
    this.#remove.run(key)
  }

  /** In the order of the keys. Keys may be added and deleted meanwhile. */
  *[Symbol.iterator](): Generator<{ key: string; size: number }> {
    for (let next = this.#after.get(''); next !== undefined; next = this.#after.get(next.key)) yield next
  }

  close(): void {
    this.#handle.close()
  }
}
