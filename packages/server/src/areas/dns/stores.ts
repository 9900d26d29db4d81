import type { Database } from '../../db/port.js'
import { challengeStore } from './challenges/challenge-store.js'
import { adoptionStore } from './claims/adoption-store.js'
import { deletionStore } from './claims/deletion-store.js'
import type { ClaimLimits } from './claims/limit-store.js'
import { claimStore } from './claims/store.js'
import { historyStore } from './history/history-store.js'
import { revertStore } from './history/revert-store.js'
import { queryCountStore } from './queries/query-count-store.js'
import type { ZoneCap } from './records/plan.js'
import { secondaryStore } from './secondaries/store.js'
import { recordStore } from './records/store.js'
import { updateStore } from './updates/update-store.js'
import { importStore } from './zone-file/import-store.js'
import { zoneStore } from './publishing/zone-store.js'
import { outcomeStore } from './publishing/outcome-store.js'

export type DnsStores = ReturnType<typeof dnsStores>

/** The stores that changes of zones are written with. */
export const dnsStores = (db: Database, { recordsMax, zoneBytesMax, zonesMax }: ZoneCap & ClaimLimits) => ({
  records: recordStore(db, { recordsMax, zoneBytesMax }),
  claims: claimStore(db, { zonesMax }),
  adoptions: adoptionStore(db, { recordsMax, zoneBytesMax }),
  deletions: deletionStore(db),
  imports: importStore(db),
  history: historyStore(db),
  reverts: revertStore(db, { recordsMax, zoneBytesMax }),
  updates: updateStore(db, { recordsMax, zoneBytesMax }),
  zones: zoneStore(db),
  outcomes: outcomeStore(db),
  challenges: challengeStore(db),
  queryCounts: queryCountStore(db),
  secondaries: secondaryStore(db),
})
