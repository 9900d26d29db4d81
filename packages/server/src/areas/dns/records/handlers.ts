import type { Areas } from '@svc/contract'
import { LongJson, RawJson } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import { fullName } from '../values/host.js'
import type { StoredRecord } from './plan.js'
import type { RecordWriter } from './writer.js'
import { checkRecord } from './check.js'
import type { RecordStore } from './store.js'
import { pathZone } from '../zones/name.js'

type RecordHandlers = Pick<
  Handlers<Areas['dns']>,
  'recordList' | 'recordCreate' | 'recordGet' | 'recordUpdate' | 'recordDelete'
>

/** Records of a verified zone (specification, section 4.4). */
export const recordHandlers = (records: RecordStore, writer: RecordWriter): RecordHandlers => ({
  async recordList({ params, query }, { account }) {
    const zone = pathZone(params.zone)
    const list = await records.list(account, zone, query.type ?? null)
    const head = `{"zone":${JSON.stringify(zone)},"records":`
    if (typeof list === 'string') return new RawJson(`${head}${list}}`)
    return new LongJson([Buffer.from(head), ...list, Buffer.from('}')])
  },

  async recordCreate({ params, body }, { account }) {
    const zone = pathZone(params.zone)
    await records.requireVerified(account, zone)
    return onTheWire(zone, await writer.create(account, zone, checkRecord(zone, body)))
  },

  async recordGet({ params }, { account }) {
    const zone = pathZone(params.zone)
    return onTheWire(zone, await records.get(account, zone, recordId(params.id)))
  },

  async recordUpdate({ params, body }, { account }) {
    const zone = pathZone(params.zone)
    return onTheWire(zone, await writer.update(account, zone, recordId(params.id), body))
  },

  async recordDelete({ params }, { account }) {
    const { id } = await writer.delete(account, pathZone(params.zone), recordId(params.id))
    return { id, deleted: true }
  },
})

/** Ids are positive integers; anything else names nothing. Zero is nobody's, so it is looked up like any other. */
const recordId = (given: string): number => (/^[1-9]\d{0,14}$/.test(given) ? Number(given) : 0)

const onTheWire = (zone: string, { id, type, host, value, ttl, priority, created_at, updated_at }: StoredRecord) => ({
  id,
  zone,
  type,
  host,
  name: fullName(zone, host),
  value,
  ttl,
  priority,
  created_at,
  updated_at,
})
