import type { Transaction } from '../../../db/port.js'
import { changedFields, recordEvent, type AccountEvent, type EventFields } from '../../../journal/event-store.js'
import type { Actor } from '../../../shared/actor.js'
import type { StoredFile } from './file.js'

/** Records the events of files, in the transactions of their changes. */

/** The fields of a file in its events: never its share key, which is the secret of its link. */
const eventFieldsOf = ({ id, name, mediaType, size, shareKey, isServed, edgeTtl }: StoredFile): EventFields => ({
  name,
  id,
  media_type: mediaType,
  size,
  shared: shareKey !== null,
  ...(shareKey !== null && { serving: isServed, edge_ttl: edgeTtl }),
})

type FileEvent = Omit<AccountEvent<'files'>, 'area' | 'accountId' | 'object'>

const record = (tx: Transaction, { accountId, name }: StoredFile, event: FileEvent): void => {
  recordEvent(tx, { ...event, area: 'files', accountId, object: name })
}

/** @param file as it is stored now */
export function recordUpload(tx: Transaction, file: StoredFile, actor: Actor): void {
  record(tx, file, { action: 'file_upload', at: file.createdAt, actor, after: eventFieldsOf(file) })
}

/** The fields that differ, and the id of the file, whose name others may have too; undefined if none differs. */
function changeOf(before: StoredFile, after: StoredFile): Pick<FileEvent, 'before' | 'after'> | undefined {
  const changed = changedFields(eventFieldsOf(before), eventFieldsOf(after))
  return changed && { ...changed, after: { ...changed.after, id: after.id } }
}

/** Records the new or ended share link of a file, otherwise the change of its details. */
export function recordChange(tx: Transaction, before: StoredFile, after: StoredFile, actor: Actor): void {
  const changed = changeOf(before, after)
  record(tx, before, { action: actionOf(before, after), at: after.updatedAt, actor, ...changed })
}

function actionOf(before: StoredFile, after: StoredFile) {
  const isShared = after.shareKey !== null
  if (isShared === (before.shareKey !== null)) return 'file_change'
  return isShared ? 'file_share' : 'file_unshare'
}

/** @param at milliseconds since the epoch */
export function recordDeletion(tx: Transaction, file: StoredFile, at: number, actor: Actor): void {
  record(tx, file, { action: 'file_delete', at, actor, before: eventFieldsOf(file) })
}

/** Records how the edge serves a shared file from now on. @param at milliseconds since the epoch */
export function recordServing(
  tx: Transaction,
  before: StoredFile,
  after: StoredFile,
  { at, actor }: Pick<FileEvent, 'at' | 'actor'>,
): void {
  const { accountId, name: object } = before
  const changed = changeOf(before, after)
  if (changed) recordEvent(tx, { accountId, at, area: 'cdn', action: 'serving_change', object, actor, ...changed })
}

/** Records that the copies of a shared file at the edge became invalid. @param at milliseconds since the epoch */
export function recordPurge(tx: Transaction, file: StoredFile, { at, actor }: Pick<FileEvent, 'at' | 'actor'>): void {
  const { id, accountId, name: object } = file
  recordEvent(tx, { accountId, at, area: 'cdn', action: 'copies_purge', object, actor, after: { id } })
}
