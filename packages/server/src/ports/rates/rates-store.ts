import type { Database, Transaction } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import type { UsdRates } from './port.js'
import { toJson, usdRatesOf } from './usd-rates.js'

/** The table has one row. */
const id = 1

/** A row that is this much newer than a fetch was written with a wrong clock. It must not block all later rates. */
const clockToleranceMs = 60 * 60 * 1000

const lastRow = prepared((db) => db.selectFrom('exchange_rates').select(['fetched_at', 'rates']).where('id', '=', id))

const replaceRow = prepared((db, p: { fetchedAt: number; wrongAfter: number; rates: string }) =>
  db
    .insertInto('exchange_rates')
    .values({ id, fetched_at: p.fetchedAt, rates: p.rates })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet((to) => ({ fetched_at: to.ref('excluded.fetched_at'), rates: to.ref('excluded.rates') }))
        .where((row) =>
          row.or([
            row('exchange_rates.fetched_at', '<', row.ref('excluded.fetched_at')),
            row('exchange_rates.fetched_at', '>', p.wrongAfter),
          ]),
        ),
    ),
)

const saveRates = unit(
  import.meta,
  'saveRates',
  async (tx: Transaction, fetchedAt: number, rates: string): Promise<void> => {
    tx.send(replaceRow, { fetchedAt, wrongAfter: fetchedAt + clockToleranceMs, rates })
  },
)

/** The last valid rates, shared by all processes of one database. */
export const ratesStore = (db: Database) => ({
  /** @throws Error for a row without valid rates */
  async last(): Promise<UsdRates | undefined> {
    const row = await db.one(lastRow, {})
    return row && { fetchedAt: row.fetched_at, perUsd: usdRatesOf(JSON.parse(row.rates)) }
  },

  /** Saves the rates, unless newer ones are stored: a slow process must not overwrite them. */
  async save({ fetchedAt, perUsd }: UsdRates): Promise<void> {
    await db.write(saveRates, fetchedAt, toJson(perUsd))
  },
})

export type RatesStore = ReturnType<typeof ratesStore>
