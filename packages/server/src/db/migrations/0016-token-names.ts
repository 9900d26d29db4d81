import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from './step.js'

interface TokenRow {
  token: { id: number; account_id: number; name: string }
}

/** As long as a name may be, in code points. */
const longestName = 64

/** Makes the names of tokens unique in an account. Of equal names, the oldest token keeps its name; the others get ` (2)`, ` (3)` … */
export async function tokenNames(db: Kysely<unknown>, { dialect }: ColumnTypes): Promise<void> {
  // A server of the version before may be running: it waits with new tokens until the index exists.
  if (dialect === 'postgres') await sql`lock table token in share row exclusive mode`.execute(db)
  const rows = db as Kysely<TokenRow>
  const accounts = await rows
    .selectFrom('token')
    .select('account_id')
    .groupBy('account_id')
    .having((row) => row(row.fn.count('name'), '>', row.fn.count('name').distinct()))
    .execute()
  for (const { account_id } of accounts) await renameDuplicates(rows, account_id)
  await db.schema.createIndex('token_by_name').on('token').columns(['account_id', 'name']).unique().execute()
}

async function renameDuplicates(db: Kysely<TokenRow>, accountId: number): Promise<void> {
  const tokens = await db
    .selectFrom('token')
    .select(['id', 'name'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute()
  const taken = new Set(tokens.map(({ name }) => name))
  const uses = new Map<string, number>()
  for (const { id, name } of tokens) {
    const before = uses.get(name) ?? 0
    uses.set(name, before + 1)
    if (before === 0) continue
    let number = before + 1
    while (taken.has(numbered(name, number))) number++
    taken.add(numbered(name, number))
    uses.set(name, number)
    await db
      .updateTable('token')
      .set({ name: numbered(name, number) })
      .where('id', '=', id)
      .execute()
  }
}

/** The name with a number, cut to the longest name. */
function numbered(name: string, number: number): string {
  const suffix = ` (${String(number)})`
  return `${Array.from(name)
    .slice(0, longestName - suffix.length)
    .join('')}${suffix}`
}
