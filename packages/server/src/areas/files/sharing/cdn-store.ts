import { badRequest } from '@svc/contract/errors'
import { isOwnBefore } from '../../../db/account-page.js'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import { turns } from '../../../shared/turns.js'
import { recordPurge, recordServing } from '../files/events.js'
import type { StoredFile } from '../files/file.js'
import { lockOwnFile } from '../files/read-store.js'
import { cutPage, type Page, type PageKey } from '../../../shared/page.js'
import { accountLockKey, lockUsage } from '../storage/usage-store.js'
import { rememberPurge } from './purge-store.js'
import { counts, type Traffic } from './traffic-counts.js'

interface SharedFile extends StoredFile {
  readonly shareKey: string
}

/** A shared file with its counts. */
export interface CountedFile extends SharedFile {
  readonly traffic: Traffic
}

/** How the edge serves a file. Only supplied fields change. */
export interface EdgeConfig {
  /** Seconds that the edge may keep the file. */
  readonly edgeTtl?: number
  readonly isServed?: boolean
}

/** What the API shows of a shared file. */
export type EdgeFile = Pick<CountedFile, 'id' | 'name' | 'shareKey' | 'edgeTtl' | 'isServed' | 'traffic'>

/** Null for a file without a request. */
interface CountsRow {
  readonly requests: number | null
  readonly hits: number | null
  readonly misses: number | null
  readonly bytes_served: number | null
}

/** Only the columns that are shown. Served by file_shared (account_id, id), read backwards. */
const sharedPage = prepared((db, p: { accountId: number; before: number; rows: number }, dialect) =>
  db
    .selectFrom('file')
    .leftJoin('file_traffic', 'file_traffic.file_id', 'file.id')
    .where(isOwnBefore('file', p, dialect))
    .where('share_key', 'is not', null)
    .select(['file.id', 'name', 'share_key as shareKey', 'edge_ttl as edgeTtl', 'serving', ...counts])
    .$narrowType<{ shareKey: string }>()
    .orderBy('account_id', 'desc')
    .orderBy('file.id', 'desc')
    .limit(p.rows),
)

const countsOf = prepared((db, p: { id: number }) =>
  db.selectFrom('file_traffic').where('file_id', '=', p.id).select(counts),
)

type Served = Pick<StoredFile, 'id' | 'edgeTtl' | 'isServed' | 'edgeVersion'>

const update = prepared((db, p: Omit<Served, 'isServed'> & { serving: number }) =>
  db
    .updateTable('file')
    .set({ edge_ttl: p.edgeTtl, serving: p.serving, edge_version: p.edgeVersion })
    .where('id', '=', p.id),
)

const toTraffic = (row: CountsRow | undefined): Traffic => ({
  requests: row?.requests ?? 0,
  hits: row?.hits ?? 0,
  misses: row?.misses ?? 0,
  bytesServed: row?.bytes_served ?? 0,
})

type EdgeFileRow = Pick<EdgeFile, 'id' | 'name' | 'shareKey' | 'edgeTtl'> & CountsRow & { readonly serving: number }

const toEdgeFile = (row: EdgeFileRow): EdgeFile => ({
  id: row.id,
  name: row.name,
  shareKey: row.shareKey,
  edgeTtl: row.edgeTtl,
  isServed: row.serving === 1,
  traffic: toTraffic(row),
})

const configureEdge = unit(
  import.meta,
  'configureEdge',
  accountLockKey,
  async (
    tx,
    accountId: number,
    id: number,
    { edgeTtl, isServed }: EdgeConfig,
    at: number,
    actor: Actor,
  ): Promise<CountedFile> => {
    const file = await lockShared(tx, accountId, id)
    const changed = { ...file, edgeTtl: edgeTtl ?? file.edgeTtl, isServed: isServed ?? file.isServed }
    const isChanged = changed.edgeTtl !== file.edgeTtl || changed.isServed !== file.isServed
    const edgeVersion = file.edgeVersion + Number(isChanged)
    if (isChanged) await saveVersion(tx, { ...changed, edgeVersion })
    recordServing(tx, file, changed, { at, actor })
    return { ...changed, edgeVersion, traffic: toTraffic(await tx.one(countsOf, { id })) }
  },
)

const purgeFile = unit(
  import.meta,
  'purgeFile',
  accountLockKey,
  async (tx, accountId: number, id: number, at: number, actor: Actor) => {
    const file = await lockShared(tx, accountId, id)
    const edgeVersion = file.edgeVersion + 1
    await saveVersion(tx, { ...file, edgeVersion })
    recordPurge(tx, file, { at, actor })
    return edgeVersion
  },
)

/** Saves a version after which copies of earlier ones must not be served. */
async function saveVersion(tx: Transaction, file: Served): Promise<void> {
  tx.send(update, { ...file, serving: Number(file.isServed) })
  rememberPurge(tx, { fileId: file.id, version: file.edgeVersion })
}

/** Locks a file until the transaction ends. */
async function lockShared(tx: Transaction, accountId: number, id: number): Promise<SharedFile> {
  await lockUsage(tx, accountId)
  const { shareKey, ...file } = await lockOwnFile(tx, accountId, id)
  if (shareKey === null)
    throw badRequest('id', 'names a file that is not shared, so the edge does not have it: share it first')
  return { ...file, shareKey }
}

export type CdnStore = ReturnType<typeof cdnStore>

/** How the edge serves the shared files of an account. */
export function cdnStore(db: Database) {
  const oneEachTurn = turns()
  return {
    /** Newest first. One page in each turn of the event loop, see `fileList`. */
    list: (account: Account, { limit, before }: PageKey): Promise<Page<EdgeFile>> =>
      oneEachTurn(async () =>
        cutPage((await db.all(sharedPage, { accountId: account.id, before, rows: limit + 1 })).map(toEdgeFile), limit),
      ),

    /** @throws ApiError `not_found`; `forbidden` for a file of another account; `bad_request` for one that is not shared */
    configure: (account: Account, id: number, config: EdgeConfig): Promise<CountedFile> =>
      db.write(configureEdge, account.id, id, config, Date.now(), account.actor),

    /** Makes the copies of the edge invalid. @returns the new version of the file @throws as `configure` */
    purge: (account: Account, id: number): Promise<number> =>
      db.write(purgeFile, account.id, id, Date.now(), account.actor),
  }
}
