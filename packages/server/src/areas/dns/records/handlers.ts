import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Areas } from '@svc/contract'
import { LongJson, longList, RawJson } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import { requestedPage, yieldBatches } from '../../../shared/page.js'
import { pathId } from '../../../shared/path-id.js'
import { isPartOfZone } from '../../../shared/rules.js'
import { runInSlices } from '../../../shared/time-slices.js'
import { turns } from '../../../shared/turns.js'
import type { RRset } from '../../../ports/dns/port.js'
import type { Account } from '../../../shared/account.js'
import { timestamp } from '../../../shared/timestamp.js'
import type { Publisher } from '../publisher.js'
import { pathZone } from '../zones/name.js'
import { wantedHost } from '../values/wanted-host.js'
import { batchAnswer } from './batch-answer.js'
import { batchWarnings } from './batch-warnings.js'
import { checkInZone } from './check-in-zone.js'
import { checkNewRecord } from './check.js'
import { pageOfRecords, type RecordsPage } from './page-store.js'
import { toJson, toRRsetJson } from './presenter.js'
import type { RecordChanged, StoredRecord } from './record.js'
import type { ImportStore } from '../zone-file/import-store.js'
import type { RecordStore } from './store.js'
import { checkWantedChanges } from './wanted-changes.js'
import { warningsAbout, type ValuesField } from './warnings.js'
import { checkWantedRRset } from './wanted-rrset.js'

type RecordHandlers = Pick<
  Handlers<Areas['dns']>,
  'recordList' | 'recordCreate' | 'recordsBatch' | 'recordGet' | 'recordUpdate' | 'recordDelete' | 'rrsetReplace'
>

/** The answers to changes: the values that the name has then, and the warnings about them. */
function answersOf(records: RecordStore) {
  async function rrset(
    account: Account,
    zone: string,
    of: Pick<StoredRecord, 'host' | 'type'>,
    sets: readonly RRset[],
    valuesField: ValuesField,
  ) {
    const json = toRRsetJson(zone, of, sets)
    return { rrset: json, warnings: await warningsAbout(records, account, zone, json, valuesField) }
  }
  return {
    rrset,
    /** With the ids of the other records that got its ttl. */
    async record(account: Account, zone: string, { record, ttlChanged, after }: RecordChanged) {
      const json = { ...toJson(zone, record), ...(await rrset(account, zone, record, after, 'value')) }
      return ttlChanged.length === 0 ? json : { ...json, ttl_changed: [...ttlChanged] }
    },
  }
}

/**
 * Records of a verified zone (specification, section 4.4).
 * @param readZone reads the records of a zone that the caller may read
 */
export function recordHandlers(
  records: RecordStore,
  publisher: Publisher,
  readZone: ImportStore['records'],
): RecordHandlers {
  const answers = answersOf(records)
  return {
    recordList: recordLister(records, readZone),

    async recordCreate({ params, body }, { account }) {
      const zone = pathZone(params.zone)
      const record = await checkInZone(records, account, zone, () => checkNewRecord(zone, body))
      return answers.record(account, zone, await publisher.applyChange(account, zone, { kind: 'create', record }))
    },

    async recordGet({ params }, { account }) {
      const zone = pathZone(params.zone)
      return toJson(zone, await records.get(account, zone, pathId(params.id)))
    },

    async recordUpdate({ params, body }, { account }) {
      const zone = pathZone(params.zone)
      const change = { kind: 'update', id: pathId(params.id), changes: body } as const
      return answers.record(account, zone, await publisher.applyChange(account, zone, change))
    },

    async rrsetReplace({ params, body }, { account }) {
      const { host, type } = params
      const zone = pathZone(params.zone)
      const wanted = await checkInZone(records, account, zone, () => checkWantedRRset(zone, { host, type, ...body }))
      const { after } = await publisher.replaceRRset(account, zone, wanted)
      return { zone, ...(await answers.rrset(account, zone, wanted, after, 'values')) }
    },

    async recordsBatch({ params, body }, { account }) {
      const zone = pathZone(params.zone)
      const { dry_run = false } = body
      const changes = await checkInZone(records, account, zone, () =>
        runInSlices(checkWantedChanges(zone, body.changes), nextTurn),
      )
      const effect = dry_run
        ? await records.planChanges(account, zone, changes, timestamp(Date.now()))
        : await publisher.applyChanges(account, zone, changes)
      const warnings = await batchWarnings(records, account, zone, changes, effect)
      return batchAnswer(zone, dry_run, effect, warnings)
    },

    async recordDelete({ params }, { account }) {
      const change = { kind: 'delete', id: pathId(params.id) } as const
      const { record } = await publisher.applyChange(account, pathZone(params.zone), change)
      return { id: record.id, deleted: true }
    },
  }
}

function recordLister(records: RecordStore, readZone: ImportStore['records']): RecordHandlers['recordList'] {
  const oneEachTurn = turns()
  return async ({ params, query }, { account }) => {
    const zone = pathZone(params.zone)
    const isOfType = ({ type }: StoredRecord) => (query.type ?? type) === type
    const host = await checkInZone(records, account, zone, () => wantedHost(zone, query))
    const page = requestedPage(query)
    if (host !== undefined) {
      const found = (await records.at(account, zone, host)).filter(isOfType)
      if (page !== undefined) return pageJson(zone, await pageOfRecords(found, page))
      return { zone, records: found.map((record) => toJson(zone, record)) }
    }
    const head = `{"zone":${JSON.stringify(zone)},"records":`
    if (isPartOfZone(account.rules, zone)) {
      const found = (await readZone(account, zone)).records.filter(isOfType)
      if (page !== undefined) return pageJson(zone, await pageOfRecords(found, page))
      return longList(`${head}[`, yieldBatches(found, oneEachTurn), (record) => JSON.stringify(toJson(zone, record)))
    }
    if (page !== undefined) return pageJson(zone, await records.page(account, zone, query.type ?? null, page))
    const list = await records.list(account, zone, query.type ?? null)
    if (typeof list === 'string') return new RawJson(`${head}${list}}`)
    return new LongJson([Buffer.from(head), ...list, Buffer.from('}')], true)
  }
}

const pageJson = (zone: string, { entries, ...rest }: RecordsPage) => ({
  zone,
  records: entries.map((record) => toJson(zone, record)),
  ...rest,
})
