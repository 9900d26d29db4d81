import type { Database, Transaction } from '../../../db/port.js'
import { unit } from '../../../db/unit.js'
import type { Account, ActingAccount } from '../../../shared/account.js'
import { timestamp } from '../../../shared/timestamp.js'
import type { Claim, Claimed } from './claim.js'
import { assignInTransaction, noteTaken, verifyInTransaction } from './take-store.js'
import type { ImportOptions } from '../zone-file/import-plan.js'
import type { ReadRecord } from '../zone-file/records.js'
import { importInTransaction } from '../zone-file/import-store.js'
import { zoneCapOf, type ZoneCap } from '../records/plan.js'
import { claimLockKey } from '../zones/lock-keys.js'
import { zoneKey, type RuledZoneKey } from '../zones/verified-store.js'

/** Gives an account a zone of an external provider together with the zone's records, in one transaction. */

async function takeRecords(
  tx: Transaction,
  key: RuledZoneKey,
  claimed: Claimed,
  records: readonly ReadRecord[],
  options: ImportOptions,
): Promise<Claimed> {
  if (claimed.isNewlyVerified) await importInTransaction(tx, key, records, options)
  return noteTaken(tx, claimed)
}

const verifyAdopted = unit(
  import.meta,
  'verifyAdopted',
  claimLockKey,
  async (
    tx,
    key: RuledZoneKey,
    proven: Claim,
    records: readonly ReadRecord[],
    options: ImportOptions,
    now: number,
  ): Promise<Claimed> =>
    takeRecords(
      tx,
      key,
      // A TXT record is a proof even if the operator keeps the zone.
      await verifyInTransaction(tx, key, proven, { isHeldByOperator: true }, now),
      records,
      options,
    ),
)

const adopt = unit(
  import.meta,
  'adopt',
  claimLockKey,
  async (tx, key: RuledZoneKey, records: readonly ReadRecord[], options: ImportOptions, now: number) =>
    takeRecords(tx, key, await assignInTransaction(tx, key, now), records, options),
)

/** The provider serves the records already: the rules of a token do not change what they are. */
const adoptedKey = ({ id, actor }: ActingAccount, zone: string): RuledZoneKey => zoneKey({ id, actor }, zone)

export const adoptionStore = (db: Database, settings: ZoneCap) => {
  const optionsAt = (account: Account, now: number): ImportOptions => ({
    ...zoneCapOf(account, settings),
    replace: true,
    now: timestamp(now),
  })
  return {
    /**
     * Verifies a claim that a TXT record has proven, and gives the account these records.
     * @throws ApiError `forbidden_zone` if it has been released since; `bad_request` for conflicting records
     */
    verify: (account: Account, proven: Claim, records: readonly ReadRecord[]): Promise<Claimed> => {
      const now = Date.now()
      return db.write(verifyAdopted, adoptedKey(account, proven.zone), proven, records, optionsAt(account, now), now)
    },

    /** Verifies the zone for the account without a proof, and gives it these records. @throws as `verify` */
    adopt: (account: Account, zone: string, records: readonly ReadRecord[]): Promise<Claimed> => {
      const now = Date.now()
      return db.write(adopt, adoptedKey(account, zone), records, optionsAt(account, now), now)
    },
  }
}
