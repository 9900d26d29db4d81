import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { eachOf } from '../../parts/each-of.js'
import { counted } from '../../parts/format.js'
import { notifyError, notifyUndo } from '../../parts/notify.js'
import { dropRecords, keepRecords, recordsQuery, type DnsRecord, type WrittenRecord } from './queries.js'
import { copyOf } from './record-values.js'

/** Ids of records that are being deleted: a second click does not send again. */
const deleting = new Set<number>()

export interface AfterDelete {
  /** Called when the deleted records have been created again. */
  readonly onRestored: (records: readonly DnsRecord[]) => void
  /** Called when the last record has been deleted. */
  readonly onEmpty: () => void
}

/** Deletes records, and offers to create all of them again. */
export async function deleteRecords(zone: string, records: readonly DnsRecord[], after: AfterDelete): Promise<void> {
  const sent = records.filter(({ id }) => !deleting.has(id))
  const deleted: DnsRecord[] = []
  for (const { id } of sent) deleting.add(id)
  const errors = await eachOf(sent, async (record) => {
    await client.dns.recordDelete({ zone, id: String(record.id) })
    deleted.push(record)
  })
  for (const { id } of sent) deleting.delete(id)
  dropRecords(zone, new Set(deleted.map(({ id }) => id)))
  if (queryClient.getQueryData(recordsQuery(zone).queryKey)?.records.length === 0) after.onEmpty()
  // It waits behind the notice that offers to undo.
  if (errors.length > 0) notifyError(errors[0])
  const [first] = deleted
  if (first === undefined) return
  const text = deleted.length === 1 ? `${first.type} ${first.name} is` : `${counted(deleted.length, 'record')} are`
  notifyUndo(`${text} deleted.`, () => restore(zone, deleted, after.onRestored))
}

/** Creates deleted records again. @throws the first error, after the others have been created */
async function restore(
  zone: string,
  records: readonly DnsRecord[],
  onRestored: AfterDelete['onRestored'],
): Promise<void> {
  const restored: WrittenRecord[] = []
  const errors = await eachOf(records, async (record) =>
    restored.push(await client.dns.recordCreate({ zone, ...copyOf(record) })),
  )
  keepRecords(zone, restored)
  if (restored.length > 0) onRestored(restored)
  if (errors.length > 0) throw errors[0]
}
