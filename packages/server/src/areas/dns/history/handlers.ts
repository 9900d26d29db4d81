import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Areas } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import { LongJson, longList } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import { pageKey, yieldBatches } from '../../../shared/page.js'
import { pathId } from '../../../shared/path-id.js'
import { runInSlices } from '../../../shared/time-slices.js'
import { timestamp } from '../../../shared/timestamp.js'
import { turns } from '../../../shared/turns.js'
import type { Publisher } from '../publisher.js'
import type { RecordsPlan } from '../records/plan.js'
import { checkInZone } from '../records/check-in-zone.js'
import type { RecordStore } from '../records/store.js'
import type { DnsStores } from '../stores.js'
import { wantedHost } from '../values/wanted-host.js'
import { differenceSteps, type ChangedSet } from '../zones/change-text.js'
import { pathZone } from '../zones/name.js'
import type { Change } from './history-store.js'
import type { Revert } from './revert-store.js'

type HistoryHandlers = Pick<Handlers<Areas['dns']>, 'historyList' | 'historyGet' | 'historyRevert'>

interface HistoryDependencies {
  readonly stores: Pick<DnsStores, 'history' | 'reverts'> & { readonly records: Pick<RecordStore, 'requireVerified'> }
  readonly publisher: Pick<Publisher, 'revert'>
}

/** The changes of a zone, the zone as it was, and the way back. */
export function historyHandlers({ stores, publisher }: HistoryDependencies): HistoryHandlers {
  const { history, reverts, records } = stores
  const oneEachTurn = turns()
  return {
    async historyList({ params, query }, { account }) {
      const zone = pathZone(params.zone)
      const host = await checkInZone(records, account, zone, () => wantedHost(zone, query))
      const filter = { host, type: query.type }
      const { changes, next, total } = await history.page(account, zone, filter, pageKey(query))
      const end = `],"next":${String(next)},"total":${total}}`
      return longList(listStart(zone, 'changes'), yieldBatches(changes, oneEachTurn), changeJson, () => end)
    },

    async historyGet({ params }, { account }) {
      const zone = pathZone(params.zone)
      const serial = pathId(params.serial)
      const sets = await history.at(account, zone, serial)
      const start = `{"zone":${JSON.stringify(zone)},"serial":${serial},"rrsets":[`
      return longList(start, yieldBatches(sets, oneEachTurn), setJson)
    },

    async historyRevert({ params, body }, { account }) {
      const zone = pathZone(params.zone)
      const revert = await checkInZone(records, account, zone, () => wantedRevert(body))
      const effect =
        body.dry_run === true
          ? await reverts.plan(account, zone, revert, timestamp(Date.now()))
          : await publisher.revert(account, zone, revert)
      return revertAnswer(zone, effect)
    },
  }
}

/** @throws ApiError `bad_request` unless one of the fields is given */
function wantedRevert({ serial, to }: { readonly serial?: number; readonly to?: number }): Revert {
  if (serial === undefined) {
    if (to === undefined) throw badRequest('serial', 'is required, or to instead of it')
    return { to }
  }
  if (to !== undefined) throw badRequest('to', 'cannot be combined with serial: send one of them')
  return { serial }
}

const listStart = (zone: string, list: string): string => `{"zone":${JSON.stringify(zone)},"${list}":[`

const setJson = ({ host, type, ttl, values }: ChangedSet): string => JSON.stringify({ host, type, ttl, values })

const changeJson = ({ id, at, action, kind, actorId, actorName, requestId, removed, added }: Change): string =>
  JSON.stringify({
    serial: id,
    at: timestamp(at),
    ...(action !== '' && { action }),
    actor: { kind, name: actorName, id: actorId },
    request_id: requestId,
    removed,
    added,
  })

/** A revert can change every record of the zone. */
async function revertAnswer(
  zone: string,
  { serial, removed, added }: Pick<RecordsPlan, 'serial' | 'removed' | 'added'>,
): Promise<LongJson> {
  const difference = await runInSlices(differenceSteps(removed, added), nextTurn)
  const pieces = [
    Buffer.from(`{"zone":${JSON.stringify(zone)},"serial":${serial},"removed":[`),
    ...(await runInSlices(listSteps(difference.removed), nextTurn)),
    Buffer.from('],"added":['),
    ...(await runInSlices(listSteps(difference.added), nextTurn)),
    Buffer.from(']}'),
  ]
  return new LongJson(pieces, true)
}

const setsPerStep = 100

/** The items of a JSON list, as a computation that can be interrupted. */
function* listSteps(sets: readonly ChangedSet[]): Generator<undefined, Buffer[]> {
  const pieces: Buffer[] = []
  for (let first = 0; first < sets.length; first += setsPerStep) {
    const some = sets.slice(first, first + setsPerStep).map(setJson)
    pieces.push(Buffer.from((first === 0 ? '' : ',') + some.join(',')))
    yield
  }
  return pieces
}
